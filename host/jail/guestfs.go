//go:build linux || darwin

package jail

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"

	"github.com/ohhost/ohhost/abi"
)

// FS returns the file system to mount at "/" of a guest, where guest path = host
// path. It is read-only, whatever the grant: every operation and every open flag
// that could change something fails with EROFS before the path is looked at.
// What the jail denies fails with EACCES, whether it exists or not, and so does
// what is neither a regular file nor a directory. Where "/" is not granted, it
// is an empty directory. One file more than FSOptions.MaxOpen fails with EAGAIN
// (wazero has no EMFILE), one entry more than MaxEntries with ERANGE, and a path of
// PATH_MAX bytes or more with ENAMETOOLONG before it is looked at. A read moves at
// most 1 MiB. The caller closes it.
func (j *Jail) FS(opts *FSOptions) FS {
	g := &guestFS{jail: j, files: map[sys.File]struct{}{}}
	if opts != nil {
		g.opts = *opts
	}
	if g.opts.MaxOpen <= 0 {
		g.opts.MaxOpen = defaultOpen
	}
	if g.opts.MaxEntries <= 0 {
		g.opts.MaxEntries = defaultItems
	}
	return g
}

// A guestFS is a jail as wazero sees it. wazero takes the leading slash off the
// paths of a mount at "/".
type guestFS struct {
	sys.UnimplementedFS
	jail *Jail
	opts FSOptions

	mu      sync.Mutex
	closed  bool
	files   map[sys.File]struct{} // that are open
	slots   int                   // taken by them and by those being opened
	entries int                   // read of the open directories
}

var _ FS = (*guestFS)(nil)

// Close implements FS.
func (g *guestFS) Close() error {
	g.mu.Lock()
	g.closed = true
	files := slices.Collect(maps.Keys(g.files))
	g.mu.Unlock()
	var errs []error
	for _, f := range files {
		if errno := f.Close(); errno != 0 {
			errs = append(errs, errno)
		}
	}
	return errors.Join(errs...)
}

// take takes a slot for a file.
func (g *guestFS) take() sys.Errno {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return sys.EBADF
	case g.slots >= g.opts.MaxOpen:
		return sys.EAGAIN
	}
	g.slots++
	return 0
}

// keep notes an open file, and reports whether that is not too late.
func (g *guestFS) keep(f sys.File) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.files[f] = struct{}{}
	}
	return !g.closed
}

// free gives back the slot of f, or that of a file that was not opened (nil).
func (g *guestFS) free(f sys.File) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots--
	delete(g.files, f)
}

// count counts an operation. Nothing may be held that a panic would not free.
func (g *guestFS) count() {
	if g.opts.Count == nil {
		return
	}
	if err := g.opts.Count(); err != nil {
		panic(err)
	}
}

// room returns for how many more entries of directories there is room.
func (g *guestFS) room() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opts.MaxEntries - g.entries
}

// read notes n more entries that were read; less than none are given back.
func (g *guestFS) read(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.entries += n
}

func (g *guestFS) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

const writeFlags = sys.O_RDWR | sys.O_WRONLY | sys.O_APPEND | sys.O_CREAT | sys.O_EXCL | sys.O_TRUNC

func (g *guestFS) OpenFile(p string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	g.count()
	switch {
	case flag&writeFlags != 0:
		return nil, sys.EROFS
	case tooLong(p):
		return nil, sys.ENAMETOOLONG
	}
	if errno := g.take(); errno != 0 {
		return nil, errno
	}
	f, err := g.openFile(hostPath(p), flag)
	if err != nil {
		g.free(nil)
		return nil, toErrno(err)
	}
	if !g.keep(f) {
		f.Close()
		return nil, sys.EBADF
	}
	return f, 0
}

func (g *guestFS) openFile(p string, flag sys.Oflag) (sys.File, error) {
	if flag&sys.O_NOFOLLOW != 0 {
		i, err := g.jail.stat(p, false)
		if err != nil {
			return nil, err
		}
		if i.typ == abi.TypeLink {
			return nil, sys.ELOOP
		}
	}
	var o object
	err := g.jail.do("open", p, func(t *table) (err error) {
		o, err = t.open(p)
		return err
	})
	if err != nil {
		if isRoot(p) && errors.As(err, new(*DeniedError)) {
			return &emptyRoot{fs: g}, nil
		}
		return nil, err
	}
	if flag&sys.O_DIRECTORY != 0 && o.info.typ != abi.TypeDir {
		o.file.Close()
		return nil, sys.ENOTDIR
	}
	return &guestFile{fs: g, object: o}, nil
}

func (g *guestFS) Lstat(p string) (wasys.Stat_t, sys.Errno) { return g.stat(p, false) }

func (g *guestFS) Stat(p string) (wasys.Stat_t, sys.Errno) { return g.stat(p, true) }

func (g *guestFS) stat(p string, follow bool) (wasys.Stat_t, sys.Errno) {
	g.count()
	switch {
	case g.isClosed():
		return wasys.Stat_t{}, sys.EBADF
	case tooLong(p):
		return wasys.Stat_t{}, sys.ENAMETOOLONG
	}
	p = hostPath(p)
	i, err := g.jail.stat(p, follow)
	if err != nil {
		if isRoot(p) && errors.As(err, new(*DeniedError)) {
			return emptyRootStat, 0
		}
		return wasys.Stat_t{}, toErrno(err)
	}
	return i.wasi(), 0
}

func (g *guestFS) Readlink(p string) (string, sys.Errno) {
	g.count()
	switch {
	case g.isClosed():
		return "", sys.EBADF
	case tooLong(p):
		return "", sys.ENAMETOOLONG
	}
	text, err := g.jail.Readlink(hostPath(p))
	return text, toErrno(err)
}

func (*guestFS) Mkdir(string, fs.FileMode) sys.Errno    { return sys.EROFS }
func (*guestFS) Chmod(string, fs.FileMode) sys.Errno    { return sys.EROFS }
func (*guestFS) Rename(string, string) sys.Errno        { return sys.EROFS }
func (*guestFS) Rmdir(string) sys.Errno                 { return sys.EROFS }
func (*guestFS) Unlink(string) sys.Errno                { return sys.EROFS }
func (*guestFS) Link(string, string) sys.Errno          { return sys.EROFS }
func (*guestFS) Symlink(string, string) sys.Errno       { return sys.EROFS }
func (*guestFS) Utimens(string, int64, int64) sys.Errno { return sys.EROFS }

// tooLong reports whether a path of a guest, which has no leading slash, is too long
// for the kernel.
func tooLong(p string) bool { return len(p)+1 >= maxPath }

func hostPath(p string) string {
	if p == "" || p == "." {
		return "/"
	}
	return "/" + p
}

func isRoot(p string) bool { return strings.Trim(p, "/.") == "" && !strings.Contains(p, "..") }

// wasi converts to wazero's record.
func (i *info) wasi() wasys.Stat_t {
	mode := fileMode(i.mode)
	switch i.typ {
	case abi.TypeDir:
		mode |= fs.ModeDir
	case abi.TypeLink:
		mode |= fs.ModeSymlink
	case abi.TypeOther:
		mode |= fs.ModeIrregular
	}
	return wasys.Stat_t{
		Dev: i.dev, Ino: i.ino, Nlink: i.nlink, Mode: mode, Size: i.size,
		Atim: i.atime, Mtim: i.mtime, Ctim: i.ctime,
	}
}

// toErrno maps errors of a jail to those of wazero.
func toErrno(err error) sys.Errno {
	var errno sys.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &errno):
		return errno
	case errors.As(err, new(*DeniedError)) || errors.Is(err, ErrNotRegular):
		return sys.EACCES
	}
	return sys.UnwrapOSError(err)
}

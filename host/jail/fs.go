//go:build linux || darwin

package jail

import (
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"

	"github.com/ohhost/ohhost/abi"
)

// FS returns the file system to mount at "/" of a guest, where guest path = host
// path. It is read-only, whatever the grant: every operation and every open flag
// that could change something fails with EROFS before the path is looked at.
// What the jail denies fails with EACCES, whether it exists or not, and so does
// what is neither a regular file nor a directory. Where "/" is not granted, it
// is an empty directory. At most MaxOpen files are open at once through one
// value; one more fails with EAGAIN.
func (j *Jail) FS() sys.FS { return &guestFS{jail: j} }

// A guestFS is a jail as wazero sees it. wazero takes the leading slash off the
// paths of a mount at "/".
type guestFS struct {
	sys.UnimplementedFS
	jail *Jail
	open atomic.Int64
}

var _ sys.FS = (*guestFS)(nil)

const writeFlags = sys.O_RDWR | sys.O_WRONLY | sys.O_APPEND | sys.O_CREAT | sys.O_EXCL | sys.O_TRUNC

func (g *guestFS) OpenFile(p string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	if flag&writeFlags != 0 {
		return nil, sys.EROFS
	}
	if g.open.Add(1) > int64(g.jail.opts.MaxOpen) {
		g.open.Add(-1)
		return nil, sys.EAGAIN
	}
	f, err := g.openFile(hostPath(p), flag)
	if err != nil {
		g.open.Add(-1)
		return nil, toErrno(err)
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

func (g *guestFS) Lstat(p string) (wasys.Stat_t, sys.Errno) { return g.stat(hostPath(p), false) }

func (g *guestFS) Stat(p string) (wasys.Stat_t, sys.Errno) { return g.stat(hostPath(p), true) }

func (g *guestFS) stat(p string, follow bool) (wasys.Stat_t, sys.Errno) {
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

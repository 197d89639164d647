//go:build linux || darwin

package jail

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

// A rootPlace is a place by os.Root, for systems without openat2. os.Root
// follows links that stay below it, so each object is compared with what Lstat
// saw under the name (os.SameFile): a link that was put in its place meanwhile
// cannot lead elsewhere.
type rootPlace struct {
	root *os.Root
	dev  uint64
}

// openRootPlace opens a directory by its resolved path, name by name from "/".
func openRootPlace(path string) (place, error) {
	r, err := os.OpenRoot("/")
	if err != nil {
		return nil, bare(err)
	}
	var p place = &rootPlace{root: r}
	for _, name := range components(path) {
		f, err := p.step(name, true)
		p.close()
		switch {
		case err != nil:
			return nil, err
		case f.info.typ == abi.TypeLink:
			return nil, unix.ELOOP
		case f.sub == nil:
			return nil, unix.ENOTDIR
		}
		p = f.sub
	}
	i, err := p.stat()
	if err != nil {
		p.close()
		return nil, err
	}
	p.(*rootPlace).dev = i.dev
	if err := p.(*rootPlace).admit(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *rootPlace) admit() error {
	f, err := p.root.OpenFile(".", readFlagsRoot, 0)
	if err != nil {
		return bare(err)
	}
	defer f.Close()
	return withFD(f, func(fd int) error {
		if kernelFS(fd) {
			return errRefused
		}
		return nil
	})
}

const readFlagsRoot = os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY

func (p *rootPlace) step(name string, enter bool) (found, error) {
	fi, err := p.root.Lstat(name)
	if err != nil {
		return found{}, bare(err)
	}
	f := found{info: infoOfFile(fi)}
	switch f.info.typ {
	case abi.TypeLink:
		f.link, err = p.root.Readlink(name)
		if errors.Is(err, syscall.EINVAL) {
			err = errMoved
		}
		return f, bare(err)
	case abi.TypeDir:
		if !enter && f.info.dev == p.dev {
			return f, nil
		}
		// With "/." the directory is opened with O_DIRECTORY: a FIFO put in its
		// place does not block.
		sub, err := p.root.OpenRoot(name + "/.")
		if err != nil {
			return found{}, moved(err)
		}
		s := &rootPlace{sub, f.info.dev}
		if err := s.check(fi, p.dev); err != nil {
			sub.Close()
			return found{}, err
		}
		if !enter {
			sub.Close()
			return f, nil
		}
		f.sub = s
	case abi.TypeFile:
		if f.info.dev != p.dev {
			// A file of another file system was mounted here; which one, only
			// an open file tells.
			file, _, err := p.open(name, "")
			if err != nil {
				return found{}, err
			}
			file.Close()
		}
	}
	return f, nil
}

// check makes sure that the place is what fi describes, and that it may be used.
func (p *rootPlace) check(fi os.FileInfo, dev uint64) error {
	now, err := p.root.Stat(".")
	if err != nil {
		return bare(err)
	}
	if !os.SameFile(fi, now) {
		return errMoved
	}
	if p.dev != dev {
		return p.admit()
	}
	return nil
}

// open leaves the file's name to os.Root, which knows the resolved path.
func (p *rootPlace) open(name, _ string) (*os.File, info, error) {
	before, err := p.root.Lstat(name)
	if err != nil {
		return nil, info{}, bare(err)
	}
	switch t := infoOfFile(before).typ; t {
	case abi.TypeLink:
		return nil, info{}, errMoved
	case abi.TypeOther:
		return nil, info{}, ErrNotRegular
	}
	f, err := p.root.OpenFile(name, readFlagsRoot, 0)
	if err != nil {
		return nil, info{}, moved(err)
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = errMoved
	}
	var i info
	if err == nil {
		i, err = admitFile(f, p.dev)
	}
	if err != nil {
		f.Close()
		return nil, info{}, bare(err)
	}
	return f, i, nil
}

func (p *rootPlace) stat() (info, error) {
	fi, err := p.root.Stat(".")
	if err != nil {
		return info{}, bare(err)
	}
	return infoOfFile(fi), nil
}

func (p *rootPlace) close() { p.root.Close() }

// bare returns the errno in an error of package os.
func bare(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	if errors.Is(err, os.ErrClosed) {
		return syscall.EBADF
	}
	return err
}

// moved is bare for the open after an Lstat: what Lstat saw cannot be a link,
// leave the place or be absent, so if it is now, it was exchanged.
func moved(err error) error {
	err = bare(err)
	errno, ok := err.(syscall.Errno)
	if !ok || errno == syscall.ELOOP || errno == syscall.ENOTDIR || errno == syscall.ENOENT || errno == syscall.ENXIO {
		return errMoved
	}
	return err
}

func infoOfFile(fi os.FileInfo) info {
	i := info{typ: abi.TypeOther, mode: unixMode(fi.Mode()), size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	switch t := fi.Mode().Type(); {
	case t == 0:
		i.typ = abi.TypeFile
	case t == os.ModeDir:
		i.typ = abi.TypeDir
	case t == os.ModeSymlink:
		i.typ = abi.TypeLink
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		addSys(&i, st)
	}
	return i
}

// readlinkat returns the whole text of a link.
func readlinkat(dir int, name string) (string, error) {
	for size := 256; ; size *= 2 {
		buf := make([]byte, size)
		var n int
		err := again(func() (err error) {
			n, err = unix.Readlinkat(dir, name, buf)
			return err
		})
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

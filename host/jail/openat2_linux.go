package jail

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

const (
	// beneath is how every name is resolved: below the handle, no link of any
	// kind. Following links is the walk's business.
	beneath = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS
	// onMount is beneath for several names at once, where nobody looks at the
	// file systems on the way.
	onMount = beneath | unix.RESOLVE_NO_XDEV

	lookFlags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	readFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC

	// raceTries bounds how often EAGAIN is answered by asking again: the kernel
	// gives it when a rename anywhere raced with "..", and for leases.
	raceTries = 128
)

func openat2(dir int, path string, flags, resolve uint64) (fd int, err error) {
	how := unix.OpenHow{Flags: flags, Resolve: resolve}
	for range raceTries {
		err = again(func() error {
			fd, err = unix.Openat2(dir, path, &how)
			return err
		})
		if err != unix.EAGAIN {
			break
		}
	}
	return fd, err
}

// haveOpenat2 reports why openat2 cannot be used here: an old kernel, or a
// seccomp filter.
func haveOpenat2() error {
	fd, err := openat2(unix.AT_FDCWD, "/", lookFlags|unix.O_DIRECTORY, unix.RESOLVE_NO_SYMLINKS)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// A pathPlace is a place by openat2: an O_PATH handle.
type pathPlace struct {
	fd  int
	dev uint64
}

func openPathPlace(path string) (place, error) {
	fd, err := openat2(unix.AT_FDCWD, path, lookFlags|unix.O_DIRECTORY, unix.RESOLVE_NO_SYMLINKS)
	if err != nil {
		return nil, err
	}
	i, err := fstat(fd)
	if err == nil && kernelFS(fd) {
		err = errRefused
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &pathPlace{fd, i.dev}, nil
}

// at opens a path below the place. An error leaves nothing open.
func (p *pathPlace) at(rel string, flags, resolve uint64) (int, info, error) {
	fd, err := openat2(p.fd, rel, flags, resolve)
	switch err {
	case nil:
	case unix.EXDEV:
		return -1, info{}, errMoved
	case unix.ENXIO, unix.ENODEV:
		return -1, info{}, ErrNotRegular // a socket, or a device without a driver
	default:
		return -1, info{}, err
	}
	i, err := fstat(fd)
	if err == nil && i.typ != abi.TypeLink {
		err = admit(fd, &i, p.dev)
	}
	if err != nil {
		unix.Close(fd)
		return -1, info{}, err
	}
	return fd, i, nil
}

func (p *pathPlace) step(name string, enter bool) (found, error) {
	fd, i, err := p.at(name, lookFlags, beneath)
	if err != nil {
		return found{}, err
	}
	f := found{info: i}
	switch {
	case i.typ == abi.TypeDir && enter:
		f.sub = &pathPlace{fd, i.dev}
		return f, nil
	case i.typ == abi.TypeLink:
		f.link, err = readlinkat(fd, "")
	}
	unix.Close(fd)
	return f, err
}

func (p *pathPlace) open(name, as string) (*os.File, info, error) {
	f, i, err := p.read(name, as, beneath)
	if err == unix.ELOOP {
		err = errMoved
	}
	return f, i, err
}

func (p *pathPlace) reach(rel, as string) (*os.File, info, error) { return p.read(rel, as, onMount) }

func (p *pathPlace) enter(rel, as string) (*os.File, info, error) {
	return p.readDir(rel, as, onMount)
}

// read opens what it has seen to be a regular file or a directory: to open a FIFO
// wakes a writer that waits for it, and a device may do anything.
func (p *pathPlace) read(rel, as string, resolve uint64) (*os.File, info, error) {
	if rel == "." {
		return p.readDir(rel, as, resolve)
	}
	seen, i, err := p.at(rel, lookFlags, resolve)
	if err != nil {
		return nil, info{}, err
	}
	defer unix.Close(seen)
	switch i.typ {
	case abi.TypeLink:
		return nil, info{}, unix.ELOOP
	case abi.TypeOther:
		return nil, info{}, ErrNotRegular
	}
	fd, err := reopen(seen, readFlags&^unix.O_NOFOLLOW)
	if err == errNoProc {
		var now info
		if fd, now, err = p.at(rel, readFlags, resolve); err == nil && (now.dev != i.dev || now.ino != i.ino) {
			unix.Close(fd)
			err = errMoved
		}
	}
	if err != nil {
		return nil, info{}, err
	}
	return os.NewFile(uintptr(fd), as), i, nil
}

// readDir opens a directory; the kernel opens nothing else with O_DIRECTORY.
func (p *pathPlace) readDir(rel, as string, resolve uint64) (*os.File, info, error) {
	fd, i, err := p.at(rel, readFlags|unix.O_DIRECTORY, resolve)
	if err != nil {
		return nil, info{}, err
	}
	return os.NewFile(uintptr(fd), as), i, nil
}

func (p *pathPlace) look(rel string) (info, error) {
	fd, i, err := p.at(rel, lookFlags, onMount)
	if err == nil {
		unix.Close(fd)
	}
	return i, err
}

func (p *pathPlace) below(rel string) (place, error) {
	fd, i, err := p.at(rel, lookFlags|unix.O_DIRECTORY, onMount)
	if err != nil {
		return nil, err
	}
	return &pathPlace{fd, i.dev}, nil
}

func (p *pathPlace) stat() (info, error) { return fstat(p.fd) }

func (p *pathPlace) close() { unix.Close(p.fd) }

//go:build linux || darwin

package jail

import (
	"context"
	"errors"
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

// batch is how many names are read from a directory at a time.
const batch = 1024

// List returns what is in a directory, sorted by name, byte by byte, without what
// may not be looked at. With follow, the Target of a link is the type of what it
// leads to, and TypeNone where that is missing or outside the grants. A directory
// with more than max such entries is ErrTooMany, and is not read further; 0 is no
// limit. When ctx ends, the error is ctx's.
func (j *Jail) List(ctx context.Context, p string, follow bool, max int) ([]abi.Entry, error) {
	var list []abi.Entry
	err := j.do("list", p, func(t *table) error {
		o, err := t.open(p)
		if err != nil {
			return err
		}
		defer o.file.Close()
		if o.info.typ != abi.TypeDir {
			return syscall.ENOTDIR
		}
		list = nil
		return t.scan(&o, -1, func(name string, i *info) error {
			switch {
			case max > 0 && len(list) == max:
				return ErrTooMany
			case ctx.Err() != nil:
				return errStopped
			}
			e := i.entry(name)
			if e.Type == abi.TypeLink {
				e.Target = abi.TypeNone
				if follow {
					e.Target = t.target(join(o.path, name))
				}
			}
			list = append(list, e)
			return nil
		})
	})
	if err == nil {
		sortByName(ctx, list, 0)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// errStopped ends a listing whose context has ended.
var errStopped = errors.New("stopped")

// target is the type of what a link leads to.
func (t *table) target(p string) byte {
	s, err := t.find(p, true)
	if err != nil {
		return abi.TypeNone
	}
	return s.info.typ
}

// scan calls visit for up to n entries of an open directory that may be looked
// at, all for -1, from where the last scan of it ended. Entries are described
// through the open directory, never by path (CVE-2026-27139).
func (t *table) scan(o *object, n int, visit func(name string, i *info) error) error {
	allowed := t.filter(o.path)
	for n != 0 {
		count := batch
		if n > 0 {
			count = min(n, batch)
		}
		names, err := o.file.Readdirnames(count)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return bare(err)
		}
		for _, name := range names {
			i, err := o.describe(name)
			if err == unix.ENOENT || err == errRefused {
				continue
			}
			if err != nil {
				return err
			}
			if allowed != nil && !allowed(name, i.typ == abi.TypeDir) {
				continue
			}
			if err := visit(name, &i); err != nil {
				return err
			}
			n--
		}
	}
	return nil
}

// describe looks at an entry of an open directory: ENOENT where it is gone,
// errRefused where a file system of the kernel is mounted on it.
func (o *object) describe(name string) (i info, err error) {
	err = withFD(o.file, func(fd int) error {
		if i, err = lstatat(fd, name); err != nil {
			return err
		}
		if i.dev != o.info.dev && mountedKernelFS(fd, name, i.typ) {
			return errRefused
		}
		return nil
	})
	return i, err
}

// mountedKernelFS reports whether a file system of the kernel is mounted on the
// entry. What is neither a file nor a directory is not opened to find out.
func mountedKernelFS(dir int, name string, typ byte) bool {
	if typ != abi.TypeDir && typ != abi.TypeFile {
		return false
	}
	fd, err := openat(dir, name, lookOnly, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return kernelFS(fd)
}

func openat(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = again(func() error {
		fd, err = unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

//go:build linux || darwin

package jail

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

// A Dir is an open directory in which a write to one name was decided. It works
// on that directory wherever it is moved to. Names are single components (EINVAL
// for others), and no method follows a link.
//
// Security: a Dir does not decide again. Names for staging beside the target are
// the business of whoever holds it; no name may come from a guest but the
// target's own.
//
// Errors are an *fs.PathError with an errno or ErrNotRegular. It is safe for
// concurrent use.
type Dir struct {
	file  *os.File
	path  string
	dev   uint64
	table *table
}

// Path returns the resolved path of the directory, as it was when it was opened.
func (d *Dir) Path() string { return d.path }

// Close frees the handle, and the lock if it is held.
func (d *Dir) Close() error { return d.file.Close() }

// Open opens a file of the directory with the flags of os.OpenFile and
// O_NOFOLLOW, O_CLOEXEC, O_NONBLOCK. What is neither a regular file nor a
// directory is ErrNotRegular, and is not opened unless it takes the place of a
// file at that moment; a link is ELOOP.
func (d *Dir) Open(name string, flag int, perm fs.FileMode) (*os.File, error) {
	var f *os.File
	err := d.do("open", name, func(dir int) error {
		if i, err := lstatat(dir, name); err == nil && i.typ == abi.TypeOther && flag&os.O_EXCL == 0 {
			return ErrNotRegular
		}
		flag |= unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY
		fd, err := openat(dir, name, flag, unixMode(perm))
		if err == unix.ENXIO || err == unix.ENODEV {
			return ErrNotRegular // a socket, or a FIFO without a reader
		}
		if err != nil {
			return err
		}
		i, err := fstat(fd)
		if err == nil && i.typ != abi.TypeFile && i.typ != abi.TypeDir {
			err = ErrNotRegular
		}
		if err == nil {
			err = admit(fd, &i, d.dev)
		}
		if err != nil {
			unix.Close(fd)
			return err
		}
		f = os.NewFile(uintptr(fd), join(d.path, name))
		return nil
	})
	return f, err
}

// Lstat describes a name; Sys is a *syscall.Stat_t.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	var st unix.Stat_t
	err := d.do("lstat", name, func(dir int) error {
		return again(func() error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	})
	if err != nil {
		return nil, err
	}
	return &fileInfo{name, infoOf(&st), sysStat(&st)}, nil
}

// Rename renames a file or a link, over a file or link of the new name. A
// directory is EISDIR: it would take along what was decided by its path. A link
// is EACCES where Target.AllowLink refuses it.
func (d *Dir) Rename(old, new string) error { return d.RenameTo(old, d, new) }

// RenameTo is Rename into another directory.
func (d *Dir) RenameTo(old string, to *Dir, new string) error {
	return d.rename(old, to, new, func(dir int, old string, todir int, new string) error {
		return again(func() error { return unix.Renameat(dir, old, todir, new) })
	})
}

// RenameNoReplace is Rename, and EEXIST where the new name is taken.
func (d *Dir) RenameNoReplace(old, new string) error {
	return d.rename(old, d, new, renameNoReplace)
}

func (d *Dir) rename(old string, to *Dir, new string, how func(int, string, int, string) error) error {
	return d.do("rename", old, func(dir int) error {
		if !single(new) {
			return unix.EINVAL
		}
		i, err := lstatat(dir, old)
		if err != nil {
			return err
		}
		if i.typ == abi.TypeDir {
			return unix.EISDIR
		}
		if i.typ == abi.TypeLink && to.table.protectsFromLink(join(to.path, new)) != nil {
			return unix.EACCES
		}
		return withFD(to.file, func(todir int) error { return how(dir, old, todir, new) })
	})
}

// linkAndRemove renames a file without replacing another.
func linkAndRemove(dir int, old string, todir int, new string) error {
	if err := again(func() error { return unix.Linkat(dir, old, todir, new, 0) }); err != nil {
		return err
	}
	return again(func() error { return unix.Unlinkat(dir, old, 0) })
}

// Remove removes a file or a link.
func (d *Dir) Remove(name string) error {
	return d.do("remove", name, func(dir int) error {
		return again(func() error { return unix.Unlinkat(dir, name, 0) })
	})
}

// Mkdir makes a directory; perm is subject to the umask.
func (d *Dir) Mkdir(name string, perm fs.FileMode) error {
	return d.do("mkdir", name, func(dir int) error {
		return again(func() error { return unix.Mkdirat(dir, name, unixMode(perm)) })
	})
}

// Rmdir removes an empty directory.
func (d *Dir) Rmdir(name string) error {
	return d.do("rmdir", name, func(dir int) error {
		return again(func() error { return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) })
	})
}

// Readlink returns the text of a link; EINVAL for anything else.
func (d *Dir) Readlink(name string) (text string, err error) {
	err = d.do("readlink", name, func(dir int) (err error) {
		text, err = readlinkat(dir, name)
		return err
	})
	return text, err
}

// Sync flushes the directory's entries to disk.
func (d *Dir) Sync() error {
	return d.do("sync", ".", func(dir int) error {
		return again(func() error { return unix.Fsync(dir) })
	})
}

// lockPoll is how long Lock waits, at least, before it asks again; it waits up to
// twice as long.
const lockPoll = time.Millisecond

// Lock waits for an exclusive flock on the directory, which other processes and
// other Dirs of this one respect. It gives up with ctx's error. Unlock and Close
// free it. A Dir takes it once at a time.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) {
	// flock has no deadline, and a thread that waits in it cannot be called
	// back; so it is asked again and again, by all who wait equally often: who
	// has waited long must not ask less often than a newcomer. Jitter keeps two
	// from asking in step, one always right after the other.
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := d.do("lock", ".", func(dir int) error {
			return again(func() error { return unix.Flock(dir, unix.LOCK_EX|unix.LOCK_NB) })
		})
		if err == nil {
			return d.unlock, nil
		}
		if err.(*fs.PathError).Err != unix.EWOULDBLOCK {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll + rand.N(lockPoll)):
		}
	}
}

func (d *Dir) unlock() {
	// After Close there is nothing to unlock, and the error says so.
	_ = d.do("unlock", ".", func(dir int) error { return unix.Flock(dir, unix.LOCK_UN) })
}

// do runs a system call on the directory's descriptor.
func (d *Dir) do(op, name string, call func(dir int) error) error {
	err := error(unix.EINVAL)
	if name == "." && (op == "sync" || op == "lock" || op == "unlock") || single(name) {
		err = withFD(d.file, call)
	}
	if err == errRefused {
		err = syscall.EACCES
	}
	if err != nil {
		return &fs.PathError{Op: op, Path: join(d.path, name), Err: err}
	}
	return nil
}

// single reports whether name is one component that names an entry.
func single(name string) bool {
	return name != "" && name != "." && name != ".." && strings.IndexByte(name, '/') < 0 && strings.IndexByte(name, 0) < 0
}

//go:build unix

package codecache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxLinks is how many links a path may lead through, as in the kernel (ELOOP).
const maxLinks = 40

// walk resolves a path and returns it, and the directories on its way, from the top
// to what it names. Each of them, and each link, must belong to this user or root,
// and nobody else may be able to replace it. With create, missing ones are made.
//
// Looking at one name after the other is safe here, and only in this order: once
// the directories above are known to be closed to others, none but this user and
// root can change what the next name means.
func walk(path string, create bool) (resolved string, way []fs.FileInfo, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", nil, err
	}
	if unmapped(os.Geteuid()) {
		return "", nil, fmt.Errorf("%s: this user namespace does not map the user who runs this, so everybody's files look like its own", path)
	}
	top, err := os.Lstat("/")
	if err == nil {
		err = checkWay("/", top)
	}
	if err != nil {
		return "", nil, err
	}
	resolved, way = "/", []fs.FileInfo{top}
	links := 0
	for todo := strings.Split(path, "/"); len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			resolved, way = filepath.Dir(resolved), way[:max(1, len(way)-1)]
			continue
		}
		next := filepath.Join(resolved, name)
		info, err := os.Lstat(next)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err = os.Mkdir(next, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
				info, err = os.Lstat(next)
			}
		}
		if err == nil {
			err = checkWay(next, info)
		}
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			resolved, way = next, append(way, info)
			continue
		}
		if links++; links > maxLinks {
			return "", nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", nil, err
		}
		if filepath.IsAbs(target) {
			resolved, way = "/", way[:1]
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return resolved, way, nil
}

// checkWay returns an error if another user could replace a directory or link, or
// what lies in the directory. In one like /tmp (sticky) others can make names, but
// cannot replace those of this user and root.
func checkWay(path string, info fs.FileInfo) error {
	uid, perm := owner(info), info.Mode().Perm()
	switch {
	case uid != os.Geteuid() && uid != 0 && !(info.IsDir() && unmapped(uid)):
		return foreign(path, uid)
	case info.Mode()&fs.ModeSymlink != 0: // its mode means nothing
		return nil
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or use another directory", path)
	case perm&0o022 == 0 || info.Mode()&fs.ModeSticky != 0:
		return nil
	case perm&0o002 == 0 && uid == os.Geteuid() && privateGroup(path, group(info)):
		return nil
	}
	return shared(path, info)
}

// checkOwn returns an error unless a directory is this user's own, and others cannot
// write to it, not even to make a name.
func checkOwn(path string, info fs.FileInfo) error {
	if uid := owner(info); uid != os.Geteuid() {
		return foreign(path, uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return shared(path, info)
	}
	return nil
}

// hide closes a directory to those who could only read it.
func (d *dir) hide() error {
	if d.self().Mode().Perm()&0o077 == 0 {
		return nil
	}
	return d.file.Chmod(0o700)
}

func foreign(path string, uid int) error {
	return fmt.Errorf("%s belongs to user %d, not to user %d who runs this: use another directory", path, uid, os.Geteuid())
}

func shared(path string, info fs.FileInfo) error {
	return fmt.Errorf("%s: others can write to it (mode %04o): take that right away (chmod go-w), or use another directory", path, info.Mode().Perm())
}

// checkFile returns an unfitError for what is not a private regular file.
func checkFile(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return unfitError("it is not a regular file")
	}
	if uid := owner(info); uid != os.Geteuid() {
		return unfitError(fmt.Sprintf("it belongs to user %d, not to user %d who runs this", uid, os.Geteuid()))
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return unfitError(fmt.Sprintf("others can use it (mode %04o)", perm))
	}
	return nil
}

// owner is the user to whom a file belongs.
func owner(info fs.FileInfo) int {
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// open opens a file of the directory to read it, and no link. It does not wait for
// the writer of a FIFO.
func (d *dir) open(name string) (*os.File, error) {
	conn, err := d.file.SyscallConn()
	if err != nil {
		return nil, err
	}
	var f *os.File
	path := filepath.Join(d.path, name)
	failed := conn.Control(func(fd uintptr) {
		var got int
		for err = unix.EINTR; err == unix.EINTR; {
			got, err = unix.Openat(int(fd), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		}
		if err == nil {
			f = os.NewFile(uintptr(got), path)
		}
	})
	if err = errors.Join(failed, err); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

// tryLock locks an open directory until it is closed. It reports whether it has
// the lock.
func tryLock(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	failed := conn.Control(func(fd uintptr) {
		for err = unix.EINTR; err == unix.EINTR; {
			err = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
		}
	})
	return failed == nil && err == nil
}

// group is the group to which a file belongs.
func group(info fs.FileInfo) int {
	return int(info.Sys().(*syscall.Stat_t).Gid)
}

// userName names this user in the name of a directory.
func userName() string { return strconv.Itoa(os.Geteuid()) }

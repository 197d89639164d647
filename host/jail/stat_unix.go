//go:build linux || darwin

package jail

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

func infoOf(st *unix.Stat_t) info {
	typ := byte(abi.TypeOther)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		typ = abi.TypeFile
	case unix.S_IFDIR:
		typ = abi.TypeDir
	case unix.S_IFLNK:
		typ = abi.TypeLink
	}
	return info{
		typ: typ, mode: uint32(st.Mode) & 0o7777,
		dev: uint64(st.Dev), ino: st.Ino, nlink: uint64(st.Nlink), size: st.Size,
		mtime: st.Mtim.Nano(), atime: st.Atim.Nano(), ctime: st.Ctim.Nano(),
	}
}

func fstat(fd int) (info, error) {
	var st unix.Stat_t
	if err := again(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return info{}, err
	}
	return infoOf(&st), nil
}

func lstatat(dir int, name string) (info, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return info{}, err
	}
	return infoOf(&st), nil
}

// again repeats a system call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// withFD lends the descriptor of f, which is not closed meanwhile.
func withFD(f *os.File, use func(fd int) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return unix.EBADF
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = use(int(fd)) }); err != nil {
		return unix.EBADF
	}
	return inner
}

func statFile(f *os.File) (i info, err error) {
	err = withFD(f, func(fd int) error {
		i, err = fstat(fd)
		return err
	})
	return i, err
}

// admit decides whether an object may be used that was reached from a place on
// device dev: not on a file system of the kernel, wherever that is mounted.
func admit(fd int, i *info, dev uint64) error {
	if i.dev != dev && kernelFS(fd) {
		return errRefused
	}
	return nil
}

// admitFile is admit and refuses what is neither a regular file nor a directory.
func admitFile(f *os.File, dev uint64) (i info, err error) {
	err = withFD(f, func(fd int) error {
		if i, err = fstat(fd); err != nil {
			return err
		}
		if i.typ != abi.TypeFile && i.typ != abi.TypeDir {
			return ErrNotRegular
		}
		return admit(fd, &i, dev)
	})
	return i, err
}

// A fileInfo is an fs.FileInfo from a stat record.
type fileInfo struct {
	name string
	info info
	sys  *syscall.Stat_t
}

func (fi *fileInfo) Name() string       { return fi.name }
func (fi *fileInfo) Size() int64        { return fi.info.size }
func (fi *fileInfo) Mode() fs.FileMode  { return fileMode(uint32(fi.sys.Mode)) }
func (fi *fileInfo) ModTime() time.Time { return time.Unix(0, fi.info.mtime) }
func (fi *fileInfo) IsDir() bool        { return fi.info.typ == abi.TypeDir }
func (fi *fileInfo) Sys() any           { return fi.sys }

func fileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

func unixMode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		mode |= unix.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= unix.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	return mode
}

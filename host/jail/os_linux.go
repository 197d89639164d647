package jail

import (
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelFS reports whether fd is on a file system that shows or steers the
// kernel and its processes instead of storing files. /proc/self alone leads to
// the host's environment, memory and open files (threats F10, F12).
func kernelFS(fd int) bool {
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return true
	}
	switch uint64(st.Type) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
		unix.DEVPTS_SUPER_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
		unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.BPF_FS_MAGIC, unix.BINFMTFS_MAGIC, unix.NSFS_MAGIC,
		unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC, unix.RDTGROUP_SUPER_MAGIC, unix.XENFS_SUPER_MAGIC,
		unix.OPENPROM_SUPER_MAGIC, unix.USBDEVICE_SUPER_MAGIC, unix.SOCKFS_MAGIC, unix.PIPEFS_MAGIC,
		unix.ANON_INODE_FS_MAGIC,
		0x62656570, // configfs
		0x65735543, // fusectl
		0x67596969, // rpc_pipefs
		0x19800202: // mqueue
		return true
	}
	return false
}

// descriptors is /proc/self/fd, where the kernel says what an open file's path
// is; nil where it is not mounted.
var descriptors = sync.OnceValue(func() *os.File {
	f, err := os.Open("/proc/self/fd")
	if err != nil {
		return nil
	}
	if !kernelFS(int(f.Fd())) {
		f.Close()
		return nil
	}
	return f
})

// currentPath returns the path that an open file has at this moment.
func currentPath(f *os.File) (p string, ok bool) {
	proc := descriptors()
	if proc == nil {
		return "", false
	}
	err := withFD(f, func(fd int) error {
		var num [20]byte
		var buf [unix.PathMax]byte
		name := string(strconv.AppendInt(num[:0], int64(fd), 10))
		n, err := unix.Readlinkat(int(proc.Fd()), name, buf[:])
		if err == nil && n < len(buf) {
			p, ok = string(buf[:n]), true
		}
		return err
	})
	return p, ok && err == nil
}

// errNoProc means that procfs is not mounted.
var errNoProc = errors.New("/proc is not mounted")

// reopen opens the object of an O_PATH handle, that and no other.
func reopen(fd, flags int) (int, error) {
	proc := descriptors()
	if proc == nil {
		return -1, errNoProc
	}
	return openat(int(proc.Fd()), strconv.Itoa(fd), flags, 0)
}

// lookOnly is how an entry is opened to ask for its file system.
const lookOnly = unix.O_PATH | unix.O_NOFOLLOW

// renameNoReplace renames unless there is something of the new name.
func renameNoReplace(oldDir int, old string, newDir int, new string) error {
	err := again(func() error {
		return unix.Renameat2(oldDir, old, newDir, new, unix.RENAME_NOREPLACE)
	})
	if err == unix.EINVAL || err == unix.ENOSYS {
		// The file system lacks the flag (NFS, some of FUSE). A second link
		// cannot replace anything either.
		return linkAndRemove(oldDir, old, newDir, new)
	}
	return err
}

func sysStat(st *unix.Stat_t) *syscall.Stat_t {
	return &syscall.Stat_t{
		Dev: st.Dev, Ino: st.Ino, Nlink: st.Nlink, Mode: st.Mode, Uid: st.Uid, Gid: st.Gid,
		Rdev: st.Rdev, Size: st.Size, Blksize: st.Blksize, Blocks: st.Blocks,
		Atim: syscall.Timespec(st.Atim), Mtim: syscall.Timespec(st.Mtim), Ctim: syscall.Timespec(st.Ctim),
	}
}

func addSys(i *info, st *syscall.Stat_t) {
	i.dev, i.ino, i.nlink = st.Dev, st.Ino, uint64(st.Nlink)
	i.atime, i.ctime = st.Atim.Nano(), st.Ctim.Nano()
}

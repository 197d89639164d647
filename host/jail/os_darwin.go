package jail

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernelFS reports whether fd is on a file system that shows devices or open
// files instead of storing files.
func kernelFS(fd int) bool {
	var st unix.Statfs_t
	if err := again(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return true
	}
	switch unix.ByteSliceToString(st.Fstypename[:]) {
	case "devfs", "fdesc", "procfs":
		return true
	}
	return false
}

// currentPath is not known here: the walk alone decides.
func currentPath(*os.File) (string, bool) { return "", false }

// lookOnly is how an entry is opened to ask for its file system.
const lookOnly = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY

// renameNoReplace renames unless there is something of the new name.
func renameNoReplace(oldDir int, old string, newDir int, new string) error {
	err := again(func() error {
		return unix.RenameatxNp(oldDir, old, newDir, new, unix.RENAME_EXCL)
	})
	if err == unix.EINVAL || err == unix.ENOTSUP {
		return linkAndRemove(oldDir, old, newDir, new)
	}
	return err
}

func sysStat(st *unix.Stat_t) *syscall.Stat_t {
	return &syscall.Stat_t{
		Dev: st.Dev, Mode: st.Mode, Nlink: st.Nlink, Ino: st.Ino, Uid: st.Uid, Gid: st.Gid,
		Rdev: st.Rdev, Size: st.Size, Blocks: st.Blocks, Blksize: st.Blksize, Flags: st.Flags, Gen: st.Gen,
		Atimespec: syscall.Timespec(st.Atim), Mtimespec: syscall.Timespec(st.Mtim),
		Ctimespec: syscall.Timespec(st.Ctim), Birthtimespec: syscall.Timespec(st.Btim),
	}
}

func addSys(i *info, st *syscall.Stat_t) {
	i.dev, i.ino, i.nlink = uint64(st.Dev), st.Ino, uint64(st.Nlink)
	i.atime, i.ctime = st.Atimespec.Nano(), st.Ctimespec.Nano()
}

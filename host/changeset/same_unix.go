//go:build unix

package changeset

import (
	"io/fs"
	"syscall"
)

// sameFile says whether a and b describe one inode. They come from the jail and
// from open files; os.SameFile knows only the latter.
func sameFile(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && x.Dev == y.Dev && x.Ino == y.Ino
}

// links is how many names the file has.
func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}

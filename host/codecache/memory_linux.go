package codecache

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// privateInMemory reports whether a directory is this user's, 0700, and on a file
// system that is kept in memory.
func privateInMemory(path string, info fs.FileInfo) bool {
	if checkOwn(path, info) != nil || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return false
	}
	// The field's type differs by architecture.
	kind := uint32(st.Type)
	return kind == unix.TMPFS_MAGIC || kind == unix.RAMFS_MAGIC
}

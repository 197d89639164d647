//go:build unix

package session

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

func checkPrivate(dir string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("session directory %s belongs to user %d, not to user %d who runs this: name another directory",
			dir, st.Uid, os.Geteuid())
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("session directory %s has mode %04o and is open to others: chmod 0700 it or name another directory",
			dir, perm)
	}
	return nil
}

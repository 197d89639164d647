//go:build unix

package session

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// makePrivate closes the open directory to others, who may have read it so far.
// What they may have written to is refused.
func makePrivate(dir string, root *os.Root, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("session directory %s belongs to user %d, not to user %d who runs this: name another directory",
			dir, st.Uid, os.Geteuid())
	}
	perm := info.Mode().Perm()
	switch {
	case perm&0o022 != 0:
		return fmt.Errorf("session directory %s has mode %04o, others can write to it: remove it or name another directory",
			dir, perm)
	case perm&0o077 == 0:
		return nil
	}
	if err := root.Chmod(".", 0o700); err != nil {
		return fmt.Errorf("session directory %s: %w", dir, err)
	}
	return nil
}

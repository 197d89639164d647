//go:build unix

package host

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate returns an error unless dir is a directory (no link) that belongs
// to this user and that nobody else can read or write. A directory of our own
// that is too open is closed.
func checkPrivate(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s: not a directory", dir)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: belongs to user %d", dir, st.Uid)
	}
	if fi.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if fi.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: others can write to it (mode %#o); remove it", dir, fi.Mode().Perm())
	}
	return os.Chmod(dir, 0o700)
}

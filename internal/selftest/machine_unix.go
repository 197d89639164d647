//go:build unix

package selftest

import (
	"fmt"
	"os"
	"syscall"
)

// privateDir says whether a directory exists, and an error where somebody else can
// read it or write to it, or, while it does not exist, to where it would be made.
func privateDir(dir string) (exists bool, err error) {
	at, exists := nearest(dir)
	info, err := os.Stat(at)
	if err != nil {
		return exists, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case !info.IsDir():
		return exists, fmt.Errorf("%s is no directory", at)
	case ok && int(st.Uid) != os.Geteuid() && (exists || os.Geteuid() != 0):
		return exists, fmt.Errorf("%s belongs to user %d", at, st.Uid)
	case mode&0o002 != 0 && info.Mode()&os.ModeSticky == 0, exists && mode&0o022 != 0:
		return exists, fmt.Errorf("others can write to %s (mode %#o)", at, mode)
	case mode&0o200 == 0 && os.Geteuid() != 0:
		return exists, fmt.Errorf("%s cannot be written to", at)
	}
	return exists, nil
}

// userFact says who runs this.
func userFact() Fact {
	if os.Geteuid() == 0 {
		return Fact{"user", true, "root: no wall is weaker for it, but a hole would be open to everything; vectors about other users' files are tried with theirs"}
	}
	return Fact{"user", true, "not root: vectors that need devices or files of other users are tried without them"}
}

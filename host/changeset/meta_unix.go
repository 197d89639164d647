//go:build unix

package changeset

import (
	"io/fs"
	"os"
	"syscall"
)

// keepMeta gives the staged file f what the file orig has: owner and group,
// attributes and access list, then the mode, because a change of owner takes the
// set-user-ID bit away. It returns errLossy where that is not possible.
func keepMeta(f, orig *os.File, info fs.FileInfo) error {
	have, err := f.Stat()
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	now, ok2 := have.Sys().(*syscall.Stat_t)
	if ok && ok2 && (st.Uid != now.Uid || st.Gid != now.Gid) {
		if f.Chown(int(st.Uid), int(st.Gid)) != nil {
			return errLossy
		}
	}
	if err := keepAttributes(f, orig); err != nil {
		return err
	}
	if err := f.Chmod(info.Mode() & modeBits); err != nil {
		return errLossy
	}
	// The kernel drops the set-group-ID bit without a word where the group is not
	// ours.
	if have, err = f.Stat(); err == nil && bits(have.Mode()) != bits(info.Mode()) {
		err = errLossy
	}
	return err
}

//go:build unix

package changeset

import (
	"io/fs"
	"os"
	"syscall"
)

// keepMeta gives the staged file f, as it was made, what the file orig has:
// owner and group, attributes and access list, then the mode, because a change of
// owner takes the set-user-ID bit away. The error Is errLossy where that is not
// possible.
func keepMeta(f, orig *os.File, made, info fs.FileInfo) error {
	now, ok := made.Sys().(*syscall.Stat_t)
	st, ok2 := info.Sys().(*syscall.Stat_t)
	if ok && ok2 && (st.Uid != now.Uid || st.Gid != now.Gid) {
		if err := f.Chown(int(st.Uid), int(st.Gid)); err != nil {
			return lossy(err)
		}
	}
	if err := keepAttributes(f, orig); err != nil {
		return err
	}
	if err := f.Chmod(info.Mode() & modeBits); err != nil {
		return lossy(err)
	}
	if info.Mode()&(modeBits&^fs.ModePerm) == 0 {
		return nil
	}
	// The kernel drops the set-group-ID bit without a word where the group is not
	// ours.
	have, err := f.Stat()
	if err == nil && bits(have.Mode()) != bits(info.Mode()) {
		err = lossy(syscall.EPERM)
	}
	return err
}

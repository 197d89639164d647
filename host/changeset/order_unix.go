//go:build unix

package changeset

import (
	"cmp"
	"strings"
	"syscall"

	"github.com/ohhost/ohhost/host/jail"
)

// compareDirs orders directories by device and inode: a path would not do, since
// one directory may be reached by several.
func compareDirs(a, b *jail.Dir) int {
	x, y := inode(a), inode(b)
	if x == nil || y == nil {
		return strings.Compare(a.Path(), b.Path())
	}
	return cmp.Or(cmp.Compare(x.Dev, y.Dev), cmp.Compare(x.Ino, y.Ino))
}

func inode(d *jail.Dir) *syscall.Stat_t {
	info, err := statDir(d)
	if err != nil {
		return nil
	}
	st, _ := info.Sys().(*syscall.Stat_t)
	return st
}

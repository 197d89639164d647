//go:build !unix

package changeset

import (
	"io/fs"
	"os"
)

// keepMeta keeps what there is here: whether the file is read-only.
func keepMeta(f, _ *os.File, _, info fs.FileInfo) error {
	return f.Chmod(info.Mode().Perm())
}

package jail

import (
	"io"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// An FS is the file system of one guest. Close closes what the guest still has
// open, as when its call was cut off; from then on every operation fails with
// EBADF. Close may be called at any time, and again.
type FS interface {
	sys.FS
	io.Closer
}

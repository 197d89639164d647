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

// FSOptions bound what one guest may do with its FS. Nil and the zero value work.
type FSOptions struct {
	// MaxOpen is how many files and directories may be open at once. Zero is 256.
	MaxOpen int
	// MaxEntries is how many entries the open directories may have been read
	// together, each since it was opened or rewound: wazero keeps them. Zero is
	// 1 048 576.
	MaxEntries int
	// Count, if set, is called before each operation that asks the system, but
	// closing, and again for each 1024 entries of a directory. When it returns an
	// error, the operation is not done, and panics with it: wazero ends the guest's
	// call with an error that wraps it.
	Count func() error
}

// Bounds of one operation.
const (
	maxTransfer  = 1 << 20 // bytes of one read: a short one is in order
	defaultOpen  = 256
	defaultItems = 1 << 20
)

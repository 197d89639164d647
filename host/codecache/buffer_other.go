//go:build !linux

package codecache

// A buffer is bytes for one entry.
type buffer struct {
	b    []byte
	free func()
}

func newBuffer(n int) *buffer { return &buffer{b: make([]byte, n), free: func() {}} }

package codecache

import "golang.org/x/sys/unix"

// hugeFrom is from which size on a buffer is worth a mapping of its own.
const hugeFrom = 1 << 20

// A buffer is bytes for one entry.
type buffer struct {
	b    []byte
	free func()
}

// newBuffer makes a buffer. A large one is mapped in huge pages: to touch the small
// pages of ten megabytes for the first time takes as long as to read them.
func newBuffer(n int) *buffer {
	if n >= hugeFrom {
		b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // as it can
			return &buffer{b: b, free: func() { _ = unix.Munmap(b) }}
		}
	}
	return &buffer{b: make([]byte, n), free: func() {}}
}

package host

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// reserve maps a guest's whole address range at once, so that growing copies
// nothing and pages that are not touched cost nothing.
func reserve(limit uint64) experimental.LinearMemory {
	b, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return &heapMemory{} // the address space is limited (ulimit -v)
	}
	return &mappedMemory{b: b}
}

// mappedMemory is a reserved range of which the first bytes are in use.
type mappedMemory struct{ b []byte }

// Reallocate returns the first size bytes, or nil beyond the reservation.
func (m *mappedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.b)) {
		return nil
	}
	return m.b[:size:len(m.b)]
}

// Free gives the range back.
func (m *mappedMemory) Free() {
	if m.b != nil {
		_ = unix.Munmap(m.b)
		m.b = nil
	}
}

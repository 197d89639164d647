package host

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memoryAllocator reserves a guest's whole address range at once, so that
// growing copies nothing and pages that are not touched cost nothing.
func memoryAllocator() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, limit uint64) experimental.LinearMemory {
		b, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return &heapMemory{} // the address space is limited (ulimit -v)
		}
		return &mappedMemory{b: b}
	})
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

// heapMemory is memory of the Go heap.
type heapMemory struct{ b []byte }

// Reallocate grows the memory, copying it.
func (m *heapMemory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.b)) {
		m.b = append(make([]byte, 0, size), m.b...)
	}
	m.b = m.b[:size]
	return m.b
}

// Free drops the memory.
func (m *heapMemory) Free() { m.b = nil }

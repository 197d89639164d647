package host

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// An arena hands out the linear memory of one instance and frees it itself.
// wazero does not when a call ends in a host function after its context has: it
// then takes the module for closed without having freed anything.
type arena struct {
	image  *sharedImage // what the memory begins with; nil is zeros
	filled bool         // the memory did begin with it
	stop   func() bool  // the call is over: growing need not go on; may be nil

	mu     sync.Mutex
	memory []experimental.LinearMemory
}

// Allocate implements experimental.MemoryAllocator.
func (a *arena) Allocate(_, limit uint64) experimental.LinearMemory {
	m, filled := reserve(limit, a)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.memory = append(a.memory, m)
	a.filled = filled
	return m
}

// free gives all memory back; freeing twice is harmless. The guest must not run
// any more.
func (a *arena) free() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.memory {
		m.Free()
	}
	a.memory = nil
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

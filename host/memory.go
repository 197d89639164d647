package host

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"
)

// An arena hands out the linear memory of one instance and frees it itself.
// wazero does not when a call ends in a host function after its context has: it
// then takes the module for closed without having freed anything.
type arena struct {
	image *sharedImage  // what the memory begins with, mapped; nil is zeros
	warm  *mappedMemory // memory that has the contents already; nil is none
	stop  func() bool   // the call is over: growing need not go on; may be nil

	filled bool // the memory began with the image

	mu     sync.Mutex
	memory []experimental.LinearMemory
}

// Allocate implements experimental.MemoryAllocator.
func (a *arena) Allocate(_, limit uint64) experimental.LinearMemory {
	a.mu.Lock()
	defer a.mu.Unlock()
	var m experimental.LinearMemory
	if a.warm != nil && len(a.memory) == 0 {
		a.warm.arena = a
		m, a.filled = a.warm, true
	} else {
		m, a.filled = reserve(limit, a)
	}
	a.memory = append(a.memory, m)
	return lent{m}
}

// lent is memory that wazero does not free.
type lent struct{ experimental.LinearMemory }

// Free does nothing: the arena frees.
func (lent) Free() {}

// free gives all memory back; freeing twice is harmless. The guest must not run
// any more.
func (a *arena) free() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.memory {
		m.Free()
	}
	if a.warm != nil { // also where it was never asked for
		a.warm.Free()
	}
	a.memory, a.warm = nil, nil
}

// release takes the warm memory out, to be used again; nil where there is none.
func (a *arena) release() *mappedMemory {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.warm == nil || len(a.memory) != 1 {
		return nil
	}
	m := a.warm
	a.warm, a.memory = nil, nil
	return m
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

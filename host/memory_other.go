//go:build !linux

package host

import "github.com/tetratelabs/wazero/experimental"

// mappedMemory does not exist on this system: no memory is used again.
type mappedMemory struct {
	heapMemory
	arena *arena
}

func warmMemory(uint64, *image) *mappedMemory { return nil }

func (*mappedMemory) small() bool { return false }

func (*mappedMemory) reset(*image) bool { return false }

// reserve uses the heap.
func reserve(uint64, *arena) (experimental.LinearMemory, bool) { return &heapMemory{}, false }

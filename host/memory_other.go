//go:build !linux

package host

import "github.com/tetratelabs/wazero/experimental"

// reserve uses the heap.
func reserve(uint64, *arena) (experimental.LinearMemory, bool) { return &heapMemory{}, false }

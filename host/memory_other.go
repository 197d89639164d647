//go:build !linux

package host

import "github.com/tetratelabs/wazero/experimental"

// reserve uses the heap.
func reserve(uint64) experimental.LinearMemory { return &heapMemory{} }

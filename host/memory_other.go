//go:build !linux

package host

import "github.com/tetratelabs/wazero/experimental"

// memoryAllocator returns nil: wazero's own allocator is used.
func memoryAllocator() experimental.MemoryAllocator { return nil }

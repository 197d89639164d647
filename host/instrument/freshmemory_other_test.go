//go:build !linux

package instrument_test

import "github.com/tetratelabs/wazero/experimental"

// freshMemory is memory that the process has not touched, as far as Go lets it.
func freshMemory(_, limit uint64) experimental.LinearMemory { return heap(make([]byte, limit)) }

type heap []byte

func (m heap) Reallocate(size uint64) []byte { return m[:size] }

func (m heap) Free() {}

package instrument_test

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// freshMemory is memory that the process has not touched.
func freshMemory(_, limit uint64) experimental.LinearMemory {
	b, err := syscall.Mmap(-1, 0, int(limit), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	return mapped(b)
}

type mapped []byte

func (m mapped) Reallocate(size uint64) []byte { return m[:size] }

func (m mapped) Free() { _ = syscall.Munmap(m) }

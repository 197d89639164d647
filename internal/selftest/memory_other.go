//go:build !linux

package selftest

// residentMemory is not known here.
func residentMemory() int64 { return -1 }

func residentMemoryOf(int) int64 { return -1 }

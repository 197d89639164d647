package selftest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// residentMemory is how many bytes of this process are in memory, see proc(5); -1
// without /proc.
func residentMemory() int64 { return residentMemoryOf(os.Getpid()) }

func residentMemoryOf(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return -1
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return -1
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return -1
	}
	return pages * int64(os.Getpagesize())
}

package host_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run when, after all tests and the hosts they closed, a
// descriptor or a goroutine is left.
func TestMain(m *testing.M) {
	fds, goroutines := openFiles(), runtime.NumGoroutine()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // its coordinator and workers have pipes
	if code == 0 && !fuzzing && !settles(fds, goroutines) {
		fmt.Printf("left behind: %d files where %d were open, %d goroutines where %d ran\n",
			len(openFiles()), len(fds), runtime.NumGoroutine(), goroutines)
		for fd, to := range openFiles() {
			if fds[fd] != to {
				fmt.Println("open:", fd, to)
			}
		}
		_ = pprof.Lookup("goroutine").WriteTo(os.Stdout, 1)
		code = 1
	}
	os.Exit(code)
}

// settles waits a while for what is still ending.
func settles(fds map[string]string, goroutines int) bool {
	for range 100 {
		if len(openFiles()) <= len(fds) && runtime.NumGoroutine() <= goroutines {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// openFiles lists this process's descriptors, but for those of Go's own poller
// and of the list itself; none where /proc does not tell.
func openFiles() map[string]string {
	entries, _ := os.ReadDir("/proc/self/fd")
	open := map[string]string{}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:[event") && !strings.HasPrefix(to, "/proc/") {
			open[e.Name()] = to
		}
	}
	return open
}

package host_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
)

// guests is the directory with the modules that guest reads.
var guests string

// TestMain builds the guests, and fails the run when, after all tests and the hosts
// they closed, something is left that leftovers names.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.list").Value.String() != "" {
		os.Exit(m.Run())
	}
	remove, err := buildGuests()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	code := runTests(m)
	remove()
	os.Exit(code)
}

// buildGuests builds the guests of testdata/guests in a directory of this run, and
// returns what removes it. A machine without a C compiler for wasm can use modules that
// were built elsewhere, the committed ones for example.
func buildGuests() (remove func(), err error) {
	if guests = os.Getenv("OHHOST_TEST_GUESTS"); guests != "" {
		if !filepath.IsAbs(guests) {
			guests = filepath.Join("..", guests) // written for who stands at the top
		}
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "ohhost-guests-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	out, err := exec.Command("../testdata/guests/build", dir).CombinedOutput()
	if err != nil {
		remove()
		return nil, fmt.Errorf("the guests cannot be built: %w\n%s"+
			"Install clang and lld, or use the committed modules: OHHOST_TEST_GUESTS=testdata/guests", err, out)
	}
	guests = dir
	return remove, os.Setenv("OHHOST_TEST_GUESTS", dir) // for the workers of a fuzz test
}

func runTests(m *testing.M) int {
	before := takeLeftovers()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // its coordinator and workers have pipes
	if code != 0 || fuzzing {
		return code
	}
	if left := before.settle(); len(left) > 0 {
		fmt.Println("left behind:\n" + strings.Join(left, "\n"))
		_ = pprof.Lookup("goroutine").WriteTo(os.Stdout, 1)
		return 1
	}
	return code
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

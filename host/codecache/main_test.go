package codecache

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tests that need another process run the test binary again: childEnv names what
// it does, with the arguments.
const childEnv = "CODECACHE_TEST_CHILD"

var children = map[string]func(args []string) error{
	"store":   childStore,
	"open":    childOpen,
	"scratch": childScratch,
}

// TestMain fails the run when a descriptor is left open.
func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	before := openFiles()
	code := m.Run()
	if after := openFiles(); code == 0 && len(after) > len(before) && flag.Lookup("test.fuzz").Value.String() == "" {
		fmt.Println("left open:", after)
		code = 1
	}
	os.Exit(code)
}

// openFiles lists what the descriptors of this process lead to, but for those of
// Go's poller and of the list itself; nothing where /proc does not tell.
func openFiles() (open []string) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") {
			open = append(open, to)
		}
	}
	return open
}

// child makes the command that runs the named child.
func child(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// childOpen is a process that opens the cache.
func childOpen(args []string) error {
	c, err := Open(args[0], args[1], nil)
	if err != nil {
		return err
	}
	return c.Close()
}

// A place is a directory for a cache and its key.
type place struct {
	top, dir, key string
}

func newPlace(t testing.TB) place {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(top, 0o700)) // whatever the umask
	return place{top: top, dir: filepath.Join(top, "cache"), key: filepath.Join(top, "state", "cache.key")}
}

func (p place) open(t testing.TB) *Cache {
	t.Helper()
	c, err := Open(p.dir, p.key, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// entry is the path of an entry's file.
func (p place) entry(name string) string { return filepath.Join(p.dir, name+entrySuffix) }

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a file another user's")
	}
}

// poisoned loads an entry that must be refused and returns why.
func poisoned(t *testing.T, c *Cache, name string) string {
	t.Helper()
	parts, err := load(c, name)
	var p *PoisonedError
	require.ErrorAs(t, err, &p)
	require.Nil(t, parts)
	require.Equal(t, name, p.Name)
	require.Equal(t, "cache entry "+name+" is not used: "+p.Why, p.Error())
	return p.Why
}

// load returns an entry's parts, copied.
func load(c *Cache, name string) ([][]byte, error) {
	e, err := c.Load(name)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	parts := make([][]byte, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = bytes.Clone(p)
	}
	return parts, nil
}

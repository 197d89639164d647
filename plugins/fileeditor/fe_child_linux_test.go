package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const childOf = "OHHOST_TEST_CHILD" // names the test that a child process runs

// inChild runs a test's body as root in a process of its own, with a mount
// namespace of its own: what it mounts, and the user that it becomes, end with
// it.
func inChild(t *testing.T, body func(t *testing.T)) {
	t.Helper()
	if os.Getenv(childOf) == t.Name() {
		body(t)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root for mounts and users")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), childOf+"="+t.Name(), "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("needs CAP_SYS_ADMIN for a mount namespace")
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, strings.Split(string(out), "\n"), "=== RUN   "+t.Name(), "the child ran no test")
}

// mount mounts in the child's namespace until the test ends.
func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	require.NoError(t, syscall.Mount(source, target, kind, flags, data))
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(target, syscall.MNT_DETACH)) })
}

// nobody is the user that a child becomes to lose root's rights.
const nobody = 65534

func becomeNobody(t *testing.T) {
	t.Helper()
	require.NoError(t, syscall.Setgroups(nil))
	require.NoError(t, syscall.Setresgid(nobody, nobody, nobody))
	require.NoError(t, syscall.Setresuid(nobody, nobody, nobody))
	t.Setenv("HOME", t.TempDir()) // root's is closed to others
}

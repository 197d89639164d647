package codecache

import (
	"crypto/rand"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mountTmpfs mounts a small file system in a mount namespace of this goroutine's
// thread, which ends with the test.
func mountTmpfs(t *testing.T, at, options string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, its namespace with it
	if err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS); err != nil {
		t.Skip("no mount namespaces here:", err)
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	require.NoError(t, unix.Mount("tmpfs", at, "tmpfs", 0, options))
	t.Cleanup(func() { require.NoError(t, unix.Unmount(at, 0)) })
}

// TestFullDisk: a full disk fails the store, and leaves no temporary file and the
// old entry.
func TestFullDisk(t *testing.T) {
	p := newPlace(t)
	mkdir(t, p.dir, 0o700)
	mountTmpfs(t, p.dir, "size=64k,mode=0700")
	c, err := Open(p.dir, p.key, nil)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Store("n", [][]byte{[]byte("code")}))
	large := make([]byte, 1<<20)
	_, _ = rand.Read(large)
	err = c.Store("n", [][]byte{large})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "store cache entry n: write ")
	require.Equal(t, []string{"n.entry", "pruned"}, list(t, p.dir))
	parts, err := load(c, "n")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("code")}, parts)
}

// TestReadOnly: a cache that was opened on what is read-only now still loads.
func TestReadOnly(t *testing.T) {
	p := newPlace(t)
	mkdir(t, p.dir, 0o700)
	mountTmpfs(t, p.dir, "size=64k,mode=0700")
	c, err := Open(p.dir, p.key, nil)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Store("n", nil))
	age(t, p.entry("n"), 2*day)
	require.NoError(t, unix.Mount("", p.dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	_, err = load(c, "n")
	require.NoError(t, err)
	require.ErrorIs(t, c.Store("n", nil), syscall.EROFS)
}

// TestScratchInMemory: $XDG_RUNTIME_DIR is used where it is private and in memory.
func TestScratchInMemory(t *testing.T) {
	p := newPlace(t)
	run, temp := p.top+"/run", p.top+"/temp"
	mkdir(t, run, 0o700)
	mkdir(t, temp, 0o700)
	t.Setenv("XDG_RUNTIME_DIR", run)
	t.Setenv("TMPDIR", temp)
	in := func() string {
		base, err := scratchBase()
		require.NoError(t, err)
		return base
	}
	require.Equal(t, temp, in(), "on disk")
	mountTmpfs(t, run, "size=64k,mode=0700")
	require.Equal(t, run, in(), "private and in memory")
	require.NoError(t, os.Chmod(run, 0o755))
	require.Equal(t, temp, in(), "others can read it")
	require.NoError(t, os.Chmod(run, 0o770))
	require.Equal(t, temp, in(), "others can write to it")
	require.NoError(t, os.Chmod(run, 0o700))
	require.NoError(t, os.Chown(run, stranger, stranger))
	require.Equal(t, temp, in(), "another user's")
	t.Setenv("XDG_RUNTIME_DIR", p.top+"/missing")
	require.Equal(t, temp, in(), "missing")
	require.NoDirExists(t, p.top+"/missing")
	t.Setenv("XDG_RUNTIME_DIR", "run")
	require.Equal(t, temp, in(), "relative")
}

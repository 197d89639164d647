package host_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// TestStoppedCallsFree: calls that are cut off in whatever the guest is doing
// leave neither memory nor files (threats R7, R8).
func TestStoppedCallsFree(t *testing.T) {
	b := load(t, newHost(t, nil), "hostile", "hostile", workspace(t), true)
	stop := func(do string) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_, err := hostile(t, b, ctx, do)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	for _, do := range []string{"spin", "sleep", "sleep and invoke"} {
		t.Run(do, func(t *testing.T) {
			stop(do)
			maps, files := mappings(t), len(openFiles())
			for range 30 {
				stop(do)
			}
			require.Less(t, mappings(t), maps+10)
			require.LessOrEqual(t, len(openFiles()), files)
		})
	}
}

// TestR5LoadCutOff: a module whose loading is cut off is not built on for nobody, and
// leaves nothing in a host that goes on.
func TestR5LoadCutOff(t *testing.T) {
	h := newHost(t, nil)
	require.NoError(t, h.Load(context.Background(), "word", guest(t, "word"), nil)) // opens the cache
	before := takeLeftovers()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, h.Load(ctx, "x", guest(t, "initialize_spin"), nil), context.DeadlineExceeded)
	require.Empty(t, before.settle())
}

// TestReleasedToolsFree: a bound tool that is closed holds nothing any more, nor
// does its session.
func TestReleasedToolsFree(t *testing.T) {
	h := newHost(t, nil)
	dir := workspace(t)
	require.NoError(t, h.Load(context.Background(), "word", guest(t, "word"), nil))
	bind := func(session string) tool.Tool {
		b, err := h.Bind(context.Background(), "word_count", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir}}, Session: session})
		require.NoError(t, err)
		return b
	}
	kept := bind("kept")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600))
	for range 3 { // what the module needs for instances to share
		_, err := kept.Call(context.Background(), callPath(dir+"/a"))
		require.NoError(t, err)
	}
	files := len(openFiles())
	for i := range 50 {
		for _, s := range []string{"kept", "other" + strings.Repeat("x", i)} {
			require.NoError(t, bind(s).(io.Closer).Close())
		}
	}
	require.LessOrEqual(t, len(openFiles()), files)
	res, err := kept.Call(context.Background(), callPath(dir+"/a"))
	require.NoError(t, err)
	require.Equal(t, "1 words", res.Content[0].Text)
}

// TestR8CodeFreed: the code of guests goes when their host is closed, that of modules
// that were refused too. wazero frees it when the collector finds it.
func TestR8CodeFreed(t *testing.T) {
	use := func() {
		h, err := host.New(&host.Options{NoCache: true, StateDir: t.TempDir()})
		require.NoError(t, err)
		requireAnswers(t, bind(t, h, "telling", telling()))
		require.ErrorContains(t, h.Load(t.Context(), "x", guest(t, "initialize_trap"), nil), "unreachable")
		require.NoError(t, h.Close(t.Context()))
	}
	before := codeMappings(t)
	for range 10 {
		use()
	}
	requireSoon(t, func() bool {
		runtime.GC()
		return codeMappings(t) <= before
	})
}

// codeMappings counts mappings of code that no file has.
func codeMappings(t *testing.T) (n int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 5 && strings.HasPrefix(f[1], "r-x") {
			n++
		}
	}
	return n
}

// mappings counts this process's memory mappings.
func mappings(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(b), "\n")
}

package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// guest returns a module of testdata/guests, see TestMain.
func guest(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(guests, name+".wasm"))
	require.NoError(t, err)
	return b
}

// TestGuests: there is a committed module of each source, and no other.
func TestGuests(t *testing.T) {
	t.Parallel()
	names := func(pattern string) (all []string) {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			all = append(all, strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)))
		}
		return all
	}
	sources := names("../testdata/guests/*.c")
	require.NotEmpty(t, sources)
	require.Equal(t, sources, names("../testdata/guests/*.wasm"), "run testdata/guests/build")
	require.Equal(t, sources, names(filepath.Join(guests, "*.wasm")))
}

// newHost is a host with directories of its own that ends with the test.
func newHost(t testing.TB, change func(*host.Options)) *host.Host {
	t.Helper()
	top := t.TempDir()
	opts := &host.Options{CacheDir: filepath.Join(top, "cache"), StateDir: filepath.Join(top, "state")}
	if change != nil {
		change(opts)
	}
	h, err := host.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close(context.Background())) })
	return h
}

// workspace is a folder for a test, with links in its path resolved.
func workspace(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// load adds a guest and binds its tool to a workspace.
func load(t testing.TB, h *host.Host, module, name, dir string, write bool) tool.Tool {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, h.Load(ctx, module, guest(t, module), nil))
	b, err := h.Bind(ctx, name, &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: write}}})
	require.NoError(t, err)
	return b
}

// callPath is a call with the one argument path.
func callPath(path string) *tool.Call {
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		panic(err)
	}
	return &tool.Call{Args: args}
}

// logger writes everything to w.
func logger(w *logBuffer) hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{Output: w, Level: hclog.Trace})
}

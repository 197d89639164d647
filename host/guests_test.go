package host_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// guest returns a committed module of testdata/guests, or, where
// OHHOST_TEST_GUESTS names a folder, one that was just built there.
func guest(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("OHHOST_TEST_GUESTS")
	if dir == "" {
		dir = "../testdata/guests"
	}
	b, err := os.ReadFile(filepath.Join(dir, name+".wasm"))
	require.NoError(t, err)
	return b
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

package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// flood runs the guest wasi_flood and returns its report.
func flood(ctx context.Context, b tool.Tool, do, path string) (string, error) {
	args, err := json.Marshal(map[string]string{"do": do, "path": strings.TrimPrefix(path, "/")})
	if err != nil {
		return "", err
	}
	res, err := b.Call(ctx, &tool.Call{Args: args})
	if err != nil {
		return "", err
	}
	return res.Content[0].Text, nil
}

// The errnos of WASI that are told here (preview 1, "errno").
const (
	wasiAgain, wasiNameTooLong, wasiRange = 6, 37, 68
)

// TestR7OpenFlood: a guest that opens 10 000 files gets its share, and leaves none
// open whether it returns or traps.
func TestR7OpenFlood(t *testing.T) {
	dir := workspace(t)
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	h := newHost(t, func(o *host.Options) { o.Limits.OpenFiles = 101 }) // one is the root
	b := load(t, h, "wasi_flood", "wasi_flood", dir, false)
	got, err := flood(t.Context(), b, "open", file)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("100 %d", wasiAgain), got)
	for range 20 {
		got, err = flood(t.Context(), b, "open", file)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("100 %d", wasiAgain), got)
		_, err = flood(t.Context(), b, "open and trap", file)
		require.ErrorContains(t, err, "unreachable")
		require.NotContains(t, slices.Collect(maps.Values(openFiles())), file)
	}
	got, err = flood(t.Context(), b, "open and close", file)
	require.NoError(t, err)
	require.Equal(t, "10000 0", got)
}

// TestF13WASI: large files and directories over WASI.
func TestF13WASI(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	sparse := filepath.Join(dir, "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	require.NoError(t, os.Truncate(sparse, 1<<40))
	for i := range 300 {
		require.NoError(t, os.MkdirAll(fmt.Sprintf("%s/many/%d", dir, i), 0o700))
	}
	h := newHost(t, func(o *host.Options) { o.Limits.ListEntries = 200 })
	b := load(t, h, "wasi_flood", "wasi_flood", dir, false)
	wide := load(t, newHost(t, nil), "wasi_flood", "wasi_flood", dir, false)
	for _, c := range []struct {
		on             tool.Tool
		do, path, want string
	}{
		{b, "read", sparse, "1048576 0"},
		{b, "read far", sparse, "5 0"},
		{b, "list", dir + "/many", fmt.Sprintf("0 %d", wasiRange)},
		{b, "list", dir, "4 0"},
		{wide, "list", dir + "/many", "302 0"},
		{b, "open", dir + "/" + strings.Repeat("x", 5000), fmt.Sprintf("0 %d", wasiNameTooLong)},
	} {
		got, err := flood(t.Context(), c.on, c.do, c.path)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.do)
	}
}

// TestR10StatFlood: a guest that asks WASI without end is stopped in time.
func TestR10StatFlood(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	b := load(t, newHost(t, nil), "wasi_flood", "wasi_flood", dir, false)
	ctx, cancel := context.WithTimeout(t.Context(), shortTime)
	defer cancel()
	began := time.Now()
	_, err := flood(ctx, b, "stat", dir)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), hangLimit)
}

// TestR10HostCalls: what a guest asks WASI counts as calls of the host, and over
// their number the call ends.
func TestR10HostCalls(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	b := load(t, newHost(t, func(o *host.Options) { o.Limits.HostCalls = 1000 }), "wasi_flood", "wasi_flood", dir, false)
	for _, do := range []string{"stat", "open and close"} {
		_, err := flood(t.Context(), b, do, dir)
		require.ErrorContains(t, err, "wasi_flood: call: the guest made too many calls of the host: more than 1000")
		require.Equal(t, tool.KindFault, tool.Kind(err))
	}
	got, err := flood(t.Context(), b, "list", dir)
	require.NoError(t, err)
	require.Equal(t, "2 0", got)
}

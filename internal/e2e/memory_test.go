//go:build linux

package e2e

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemory: a text file of 10 MiB is viewed and edited with at most 96 MB more
// memory, guest and all, than one of a few bytes.
func TestMemory(t *testing.T) {
	const limit = 96 << 20
	warm := start(t, workspace(t), nil) // compiling takes more memory than a call
	_, err := warm.call(map[string]any{"command": "view", "path": warm.cmd.Args[3]})
	require.NoError(t, err)
	require.NoError(t, warm.close())
	insert := map[string]any{"command": "insert", "insert_line": 1, "new_str": "x"}
	for _, c := range []struct {
		name   string
		before map[string]any // a call by another process, to be undone
		args   map[string]any
	}{
		{"view", nil, map[string]any{"command": "view"}},
		{"view_range", nil, map[string]any{"command": "view", "view_range": []int{1, -1}}},
		{"str_replace", nil, map[string]any{"command": "str_replace", "old_str": "NEEDLE", "new_str": "needle"}},
		{"insert", nil, insert},
		{"undo_edit", insert, map[string]any{"command": "undo_edit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			peak := func(content []byte) int64 {
				dir := workspace(t)
				path := filepath.Join(dir, "f.txt")
				require.NoError(t, os.WriteFile(path, content, 0o644))
				env := []string{"XDG_STATE_HOME=" + workspace(t)}
				run := func(args map[string]any) int64 {
					p := start(t, dir, env)
					args = maps.Clone(args)
					args["path"] = path
					r, err := p.call(args)
					require.NoError(t, err)
					require.Nil(t, r.Error)
					require.False(t, r.Observation.IsError, "%.300s", r.Observation.Content[0].Text)
					n := p.peak(t)
					require.NoError(t, p.close())
					return n
				}
				if c.before != nil {
					run(c.before)
				}
				return run(c.args)
			}
			content := bytes.Repeat([]byte("0123456789abcde\n"), 10<<20/16)
			copy(content[5<<20:], "NEEDLE")
			if c.name == "insert" || c.before != nil {
				content = content[16:] // room for the insertion below the tool's limit
			}
			base := peak([]byte("NEEDLE\n"))
			more := peak(content) - base
			t.Logf("%d MB, and %d MB more for 10 MiB", base>>20, more>>20)
			require.LessOrEqual(t, more, int64(limit))
		})
	}
}

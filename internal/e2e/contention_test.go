package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestContention: ten processes insert distinct lines into one file at once, a
// thousand each, trying again when another was faster. No line may be lost and
// no other be there.
func TestContention(t *testing.T) {
	processes, edits := 10, 1000
	if testing.Short() {
		edits = 50
	}
	dir := workspace(t)
	path := filepath.Join(dir, "f.txt")
	require.NoError(t, os.WriteFile(path, []byte("first\n"), 0o644))
	env := []string{"XDG_STATE_HOME=" + workspace(t)}
	const again = "Ran into the file was changed since it was read while trying to write to "

	retries := make([]int, processes)
	errs := make(chan error, processes)
	var wg sync.WaitGroup
	for i := range processes {
		p := start(t, dir, env)
		wg.Go(func() {
			errs <- func() error {
				for e := 0; e < edits; {
					r, err := p.call(map[string]any{"command": "insert", "path": path, "insert_line": 1, "new_str": fmt.Sprintf("%d.%d", i, e)})
					switch {
					case err != nil:
						return err
					case r.Error != nil:
						return fmt.Errorf("%s: %s", r.Error.Kind, r.Error.Message)
					case !r.Observation.IsError:
						e++
					case r.Observation.Content[0].Text == again+path:
						retries[i]++
					default:
						return fmt.Errorf("process %d, edit %d: %s", i, e, r.Observation.Content[0].Text)
					}
				}
				return p.close()
			}()
		})
	}
	wg.Wait()
	for range processes {
		require.NoError(t, <-errs)
	}
	t.Logf("tried again: %v", retries)

	b, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	require.Equal(t, "first", lines[0])
	want := map[string]bool{"first": true}
	for i := range processes {
		for e := range edits {
			want[fmt.Sprintf("%d.%d", i, e)] = true
		}
	}
	have := map[string]bool{}
	for _, l := range lines {
		have[l] = true
	}
	require.Len(t, lines, 1+processes*edits)
	require.Equal(t, want, have)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside the file")
}

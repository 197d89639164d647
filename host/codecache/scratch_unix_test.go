//go:build unix

package codecache

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestS2SharedScratch: a scratch directory does not lie where others can change or
// have prepared one.
func TestS2SharedScratch(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			p := newPlace(t)
			w.prepare(t, p.top)
			s, err := newScratch(filepath.Join(p.top, w.at))
			if w.want != "" {
				require.EqualError(t, err, fmt.Sprintf(w.want, p.top))
				return
			}
			require.NoError(t, err)
			for _, dir := range []string{s.Path(), filepath.Dir(s.Path())} {
				info, err := os.Stat(dir)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
			}
			require.NoError(t, s.Close())
		})
	}
	t.Run("TMPDIR that all can write", func(t *testing.T) {
		parent := scratchPlace(t)
		require.NoError(t, os.Chmod(filepath.Dir(parent), 0o777))
		_, err := NewScratch()
		require.EqualError(t, err, "scratch directory: "+filepath.Dir(parent)+": others can write to it (mode 0777): take that right away (chmod go-w), or use another directory")
		require.NoError(t, os.Chmod(filepath.Dir(parent), 0o777|os.ModeSticky))
		openScratch(t)
	})
	t.Run("TMPDIR that is missing", func(t *testing.T) {
		parent := scratchPlace(t)
		t.Setenv("TMPDIR", filepath.Dir(parent)+"/missing")
		_, err := NewScratch()
		require.EqualError(t, err, "scratch directory: lstat "+filepath.Dir(parent)+"/missing: no such file or directory")
	})
}

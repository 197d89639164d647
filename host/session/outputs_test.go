package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// saved lists the outputs with their texts.
func saved(t *testing.T, s *Session) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(s.Outputs())
	require.NoError(t, err)
	texts := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(s.Outputs(), e.Name()))
		require.NoError(t, err)
		texts[e.Name()] = string(b)
	}
	return texts
}

func TestR9SaveOutput(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "s"))
	path, err := s.SaveOutput(t.Context(), "grep", []byte("one\n"), nil, []byte("two"))
	require.NoError(t, err)
	require.Regexp(t, `^grep-[0-9a-f]{16}\.txt$`, filepath.Base(path))
	second, err := s.SaveOutput(t.Context(), "grep")
	require.NoError(t, err)
	require.Equal(t, map[string]string{filepath.Base(path): "one\ntwo", filepath.Base(second): ""}, saved(t, s))
}

// TestR9OutputsBounded: the oldest outputs give way, by number and by size; what
// is in the directory and no file of ours stays.
func TestR9OutputsBounded(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "s"))
	s.maxOutputs = 1000
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.MkdirAll(filepath.Join(s.Outputs(), "dir"), 0o700))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(s.Outputs(), "link")))
	var paths []string
	save := func(size int) {
		t.Helper()
		path, err := s.SaveOutput(t.Context(), "t", []byte(strings.Repeat("x", size)))
		require.NoError(t, err)
		require.FileExists(t, path, "the one just written is never dropped")
		when := old.Add(time.Duration(len(paths)) * time.Second)
		require.NoError(t, os.Chtimes(path, when, when))
		paths = append(paths, path)
	}
	left := func(from int) {
		t.Helper()
		for i, p := range paths {
			if i < from {
				require.NoFileExists(t, p, i)
			} else {
				require.FileExists(t, p, i)
			}
		}
	}
	for range MaxOutputs {
		save(1)
	}
	left(0)
	save(1)
	left(1)
	save(936) // 63 bytes are there, of which one gives way to the number anyway
	left(2)
	save(500) // the large one has to go, and all that are older
	left(len(paths) - 1)
	save(1000)
	left(len(paths) - 1)
	_, err := s.SaveOutput(t.Context(), "t", make([]byte, 600), make([]byte, 401))
	require.ErrorIs(t, err, ErrOutput)
	left(len(paths) - 1)
	require.DirExists(t, filepath.Join(s.Outputs(), "dir"))
	to, err := os.Readlink(filepath.Join(s.Outputs(), "link"))
	require.NoError(t, err)
	require.Equal(t, "/etc/passwd", to)
}

func TestSaveOutputFails(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "s"))
	why := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := s.SaveOutput(ctx, "t", []byte("x"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, saved(t, s))
	require.NoError(t, os.RemoveAll(s.Outputs()))
	require.NoError(t, os.WriteFile(s.Outputs(), nil, 0o600))
	_, err = s.SaveOutput(t.Context(), "t", []byte("x"))
	require.EqualError(t, err, "not a directory")
}

// TestSaveOutputParallel: none is lost that is named.
func TestSaveOutputParallel(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "s"))
	var wg sync.WaitGroup
	paths := make([]string, MaxOutputs)
	for i := range paths {
		wg.Go(func() {
			path, err := s.SaveOutput(t.Context(), "t", []byte(fmt.Sprint(i)))
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	wg.Wait()
	for i, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(b))
	}
}

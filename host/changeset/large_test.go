//go:build unix

package changeset

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sparse makes a file of that size without contents.
func sparse(t *testing.T, w *world, name string, size int64) string {
	t.Helper()
	f := w.file(t, name, "", 0o600)
	if err := os.Truncate(f, size); err != nil {
		t.Skip("this file system has no files of that size:", err)
	}
	return f
}

// TestF13Sparse: a file of 1 TiB is neither held in memory nor read for longer than
// the context allows.
func TestF13Sparse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := sparse(t, w, "f", 1<<40)
	large := &ChangeError{Path: f, Err: &TooLargeError{Size: 1 << 40}}
	for _, c := range []Change{
		{Op: Put, Path: f, Data: []byte("x")},
		{Op: Edit, Path: f, Splices: replaceFirst("x", "x", "y")},
		{Op: Edit, Path: f, Max: 10},
		{Op: Undo, Path: f, Undo: f},
	} {
		_, err := w.apply(t.Context(), c, nil)
		require.Equal(t, large, err, c.Op)
	}
	for _, c := range []Change{{Op: Delete, Path: f}, {Op: Move, Path: f, To: w.path("to")}} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := w.apply(ctx, c, nil)
		cancel()
		require.Equal(t, context.DeadlineExceeded, err, c.Op)
		require.FileExists(t, f)
		require.NoFileExists(t, w.path("to"))
	}
}

// TestF13Stopped: a set whose context ends while its contents are read, decoded or
// written leaves nothing, not even a staged file.
func TestF13Stopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := sparse(t, w, "f", 8<<20)
	for left := 0; ; left++ {
		ctx := &ending{Context: t.Context(), left: left}
		_, err := w.apply(ctx, Change{Op: Put, Path: f, Data: make([]byte, 4<<20), Undo: f}, nil)
		if err == nil {
			require.Greater(t, left, 13, "8 MiB are read and 4 written in pieces of one")
			break
		}
		require.Equal(t, context.Canceled, err)
		info, err := os.Stat(f)
		require.NoError(t, err)
		require.EqualValues(t, 8<<20, info.Size())
		entries, err := os.ReadDir(w.dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		requireEmptySession(t, w)
	}
}

// An ending context has ended once it was asked left times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestR10MaxBytes: a set over Options.MaxBytes is refused, whole, in a dry run too.
func TestR10MaxBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.file(t, "f", "12345", 0o600)
	for _, c := range []struct {
		name string
		set  Set
		max  int64
		ok   bool
	}{
		{"put", Set{Changes: []Change{{Op: Put, Path: f, Data: []byte("123456"), Undo: f}}}, 5, false},
		{"a small edit of a larger file", Set{Changes: []Change{{Op: Edit, Path: f, Splices: replaceFirst("12345", "5", "56")}}}, 5, false},
		{"with state", Set{Changes: []Change{{Op: Put, Path: f, Data: []byte("123")}}, State: []StatePut{{"x", []byte("123")}}}, 5, false},
		{"state alone", Set{State: []StatePut{{"x", []byte("123456")}}}, 5, false},
		{"move", Set{Changes: []Change{{Op: Move, Path: f, To: w.path("to")}}}, 1, true},
		{"move back", Set{Changes: []Change{{Op: Move, Path: w.path("to"), To: f}}}, 1, true},
		{"just enough", Set{Changes: []Change{{Op: Put, Path: f, Data: []byte("abcde")}}}, 5, true},
	} {
		before := tree(t, w.dir)
		for _, dry := range []bool{true, false} {
			_, err := Apply(t.Context(), w.jail, w.s, &c.set, &Options{NoSync: true, MaxBytes: c.max, DryRun: dry})
			if c.ok {
				require.NoError(t, err, c.name)
				continue
			}
			require.Equal(t, ErrWritten, err, c.name)
			require.Equal(t, before, tree(t, w.dir), c.name)
			requireEmptySession(t, w)
			_, found, err := w.s.Get(t.Context(), "x")
			require.NoError(t, err)
			require.False(t, found)
		}
	}
}

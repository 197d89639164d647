//go:build unix

package changeset

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestFE36_UndoAfterSomebodyElse(t *testing.T) {
	w := newWorld(t)
	u := w.file(t, "u", "one\n", 0o644)
	w.must(t, Change{Op: Edit, Path: u, Splices: replaceFirst("one\n", "one", "two"), Undo: u})
	w.file(t, "u", "external\n", 0o644)
	for range 2 {
		_, err := w.apply(t.Context(), w.undo(u), nil)
		require.ErrorIs(t, err, ErrUndoChanged)
		require.ErrorIs(t, err, ErrChanged)
		require.Equal(t, map[string]string{"u": "0644 external\n"}, tree(t, w.dir))
	}
	w.file(t, "u", "two\n", 0o644)
	w.must(t, w.undo(u))
	require.Equal(t, map[string]string{"u": "0644 one\n"}, tree(t, w.dir), "the entry had stayed")
}

func TestFE37_UndoIsByteExact(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "\xef\xbb\xbfa\r\nb\n\xff", 0o755)
	before := tree(t, w.dir)
	w.must(t, Change{Op: Edit, Path: f, Splices: replaceFirst("a\nb\n", "a", "z"), Undo: f})
	require.Equal(t, map[string]string{"f": "0755 \xef\xbb\xbfz\r\nb\n\xff"}, tree(t, w.dir))
	dry, err := w.apply(t.Context(), w.undo(f), &Options{DryRun: true})
	require.NoError(t, err)
	out := w.must(t, w.undo(f))
	require.Equal(t, dry, out)
	raw := []byte("\xef\xbb\xbfa\r\nb\n\xff")
	require.Equal(t, Outcome{Path: f, Size: int64(len(raw)), Digest: digest(raw),
		Before: []byte("\xef\xbb\xbfz\r\nb\n\xff"), After: raw, OldText: out.OldText, NewText: out.NewText}, out)
	require.Equal(t, before, tree(t, w.dir))
	_, err = w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
}

func TestFE37_UndoOfCreateGivesTheFileBack(t *testing.T) {
	w := newWorld(t)
	f := w.path("f")
	w.must(t, Change{Op: Put, Path: f, Data: []byte("v1"), Expect: abi.Absent, Undo: f, UndoNew: true})
	w.must(t, Change{Op: Edit, Path: f, Splices: replaceFirst("v1", "v1", "v2"), Undo: f})
	for range 2 {
		w.must(t, w.undo(f))
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Equal(t, "v1", string(b))
	}
	_, err := w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
}

func TestUndoOfCreateRemovesTheFile(t *testing.T) {
	w := newWorld(t)
	f := w.path("f")
	w.must(t, Change{Op: Put, Path: f, Data: []byte("v1"), Undo: f})
	require.Equal(t, Outcome{Path: f, Before: []byte("v1"), OldText: []byte("v1")}, w.must(t, w.undo(f)))
	require.Empty(t, tree(t, w.dir))
}

func TestUndoOfDelete(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "v1", 0o4751)
	before := tree(t, w.dir)
	w.must(t, Change{Op: Delete, Path: f, Undo: f})
	require.Empty(t, tree(t, w.dir))
	out := w.must(t, w.undo(f))
	require.True(t, out.Created)
	require.Equal(t, before, tree(t, w.dir))
}

func TestUndoChecks(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "longer", 0o644)
	w.must(t, Change{Op: Put, Path: f, Data: []byte("short"), Undo: f})
	c := w.undo(f)
	c.Max = 5
	_, err := w.apply(t.Context(), c, nil)
	require.Equal(t, &ChangeError{Path: f, Err: &TooLargeError{Size: 6}}, err)
	c.Max, c.Expect = 6, digest([]byte("short"))
	w.must(t, c)
	require.Equal(t, map[string]string{"f": "0644 longer"}, tree(t, w.dir))
}

// Each spelling of a path has a history of its own (spec/tools.md, "undo_edit").
func TestUndoKeys(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "0", 0o644)
	w.must(t, Change{Op: Put, Path: f, Data: []byte("1"), Undo: "one"})
	w.must(t, Change{Op: Put, Path: f, Data: []byte("2"), Undo: "two"})
	_, err := w.apply(t.Context(), Change{Op: Undo, Path: f, Undo: "one"}, nil)
	require.ErrorIs(t, err, ErrUndoChanged)
	w.must(t, Change{Op: Undo, Path: f, Undo: "two"})
	w.must(t, Change{Op: Undo, Path: f, Undo: "one"})
	require.Equal(t, map[string]string{"f": "0644 0"}, tree(t, w.dir))
}

func TestFailedEditMakesNoEntry(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o644)
	_, err := w.apply(t.Context(), Change{Op: Put, Path: f, Data: []byte("b"), Undo: f, Max: 0, Expect: abi.Absent}, nil)
	require.ErrorIs(t, err, ErrChanged)
	_, err = w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
	w.must(t, Change{Op: Edit, Path: f, Undo: f})
	w.must(t, w.undo(f)) // an edit that changes nothing makes one
}

// An entry over the quota is not kept, and the edit happens.
func TestEditTooLargeForTheHistory(t *testing.T) {
	w := newWorld(t)
	f := w.path("f")
	require.NoError(t, os.WriteFile(f, bytes.Repeat([]byte("x"), 64<<20+1), 0o600))
	w.must(t, Change{Op: Put, Path: f, Data: []byte("small"), Undo: f})
	require.Equal(t, map[string]string{"f": "0600 small"}, tree(t, w.dir))
	_, err := w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
}

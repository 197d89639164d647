//go:build unix

package changeset

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/jail"
)

// failSync makes every fsync of a directory fail until the test ends.
func failSync(t *testing.T, err error) {
	t.Helper()
	old := syncDir
	syncDir = func(*jail.Dir) error { return err }
	t.Cleanup(func() { syncDir = old })
}

// The disk fails after the file was renamed. Nobody can unmake that, so it is a
// change like any other, with its undo entry and its state, and a note.
func TestDirectoryCannotBeSynced(t *testing.T) {
	for _, c := range []Change{
		{Op: Put, Path: "f", Data: []byte("new"), Undo: "k"},
		{Op: Put, Path: "n", Data: []byte("new"), Undo: "k"},
		{Op: Delete, Path: "f", Undo: "k"},
		{Op: Move, Path: "f", To: "g"},
		{Op: Mkdir, Path: "d"},
	} {
		t.Run(string(c.Op)+" "+c.Path, func(t *testing.T) {
			w := newWorld(t)
			w.file(t, "f", "old", 0o644)
			c.Path = w.path(c.Path)
			if c.To != "" {
				c.To = w.path(c.To)
			}
			failSync(t, &fs.PathError{Op: "sync", Path: ".", Err: syscall.EIO})
			outs, err := Apply(t.Context(), w.jail, w.s, &Set{Changes: []Change{c}, State: []StatePut{{"s", []byte("1")}}}, nil)
			require.NoError(t, err)
			require.Equal(t, &fs.PathError{Op: "sync the directory of", Path: c.Path, Err: syscall.EIO}, outs[0].Unsynced)
			want := map[string]map[string]string{
				w.path("f"): {"f": "0644 new"}, w.path("n"): {"f": "0644 old", "n": "0644 new"}, w.path("d"): {"f": "0644 old", "d": "dir 0755"},
			}[c.Path]
			switch c.Op {
			case Delete:
				want = map[string]string{}
			case Move:
				want = map[string]string{"g": "0644 old"}
			}
			require.Equal(t, want, tree(t, w.dir))
			got, _, err := w.s.Get(t.Context(), "s")
			require.NoError(t, err)
			require.Equal(t, "1", string(got))
			if c.Undo != "" {
				out := w.must(t, Change{Op: Undo, Path: c.Path, Undo: "k"})
				require.Error(t, out.Unsynced)
			}
			requireEmptySession(t, w)
		})
	}
}

// What a file system cannot do is no news.
func TestDirectoryNeedsNoSync(t *testing.T) {
	for _, err := range []error{syscall.EINVAL, syscall.ENOTSUP} {
		w := newWorld(t)
		failSync(t, err)
		require.NoError(t, w.must(t, Change{Op: Put, Path: w.path("f")}).Unsynced)
	}
	w := newWorld(t)
	failSync(t, errors.New("not called"))
	out, err := w.apply(t.Context(), Change{Op: Put, Path: w.path("f")}, &Options{NoSync: true})
	require.NoError(t, err)
	require.NoError(t, out.Unsynced)
}

package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func open(t *testing.T, dir string) *Session {
	t.Helper()
	s, err := Open(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "s")
	s := open(t, dir)
	require.Equal(t, dir, s.Dir())
	require.Equal(t, filepath.Join(dir, "outputs"), s.Outputs())
	require.NoDirExists(t, s.Outputs())
	out, err := s.SaveOutput(t.Context(), "tool", []byte("text"))
	require.NoError(t, err)
	require.Equal(t, s.Outputs(), filepath.Dir(out))

	require.NoError(t, s.Put(t.Context(), "x", []byte("1")))
	tx, err := s.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, commit(tx, entry("k", "a", "b")))
	require.NoError(t, tx.Journal(&Record{}))
	require.NoError(t, tx.End())

	modes := map[string]os.FileMode{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		want := os.FileMode(0o600)
		if d.IsDir() {
			want = os.ModeDir | 0o700
		}
		modes[path] = info.Mode()
		require.Equal(t, want, info.Mode(), path)
		return nil
	}))
	require.Len(t, modes, 10)
}

func TestOpenRefuses(t *testing.T) {
	base := t.TempDir()
	real := filepath.Join(base, "real")
	require.NoError(t, os.Mkdir(real, 0o700))
	link := filepath.Join(base, "link")
	require.NoError(t, os.Symlink(real, link))
	file := filepath.Join(base, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	wide := filepath.Join(base, "wide")
	require.NoError(t, os.Mkdir(wide, 0o700))
	require.NoError(t, os.Chmod(wide, 0o720))
	wider := filepath.Join(base, "wider")
	require.NoError(t, os.Mkdir(wider, 0o700))
	require.NoError(t, os.Chmod(wider, 0o702))
	foreign := filepath.Join(base, "foreign")
	require.NoError(t, os.Mkdir(foreign, 0o700))

	tests := []struct{ name, dir, want string }{
		{"relative", "s", "session directory s: want an absolute path"},
		{"link", link, "session directory " + link + " is a symbolic link: remove it or name another directory"},
		{"file", file, "session directory " + file + " is not a directory: remove it or name another one"},
		{"group may write", wide, "session directory " + wide + " has mode 0720, others can write to it: remove it or name another directory"},
		{"others may write", wider, "session directory " + wider + " has mode 0702, others can write to it: remove it or name another directory"},
	}
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(foreign, 1234, 1234))
		tests = append(tests, struct{ name, dir, want string }{"foreign", foreign,
			"session directory " + foreign + " belongs to user 1234, not to user 0 who runs this: name another directory"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(tt.dir, nil)
			require.EqualError(t, err, tt.want)
		})
	}
	entries, err := os.ReadDir(real)
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is made behind a link")
}

// A directory that others could read, but not write, is closed.
func TestOpenClosesItsDirectory(t *testing.T) {
	for _, mode := range []os.FileMode{0o755, 0o750, 0o711, 0o701} {
		dir := filepath.Join(t.TempDir(), "s")
		require.NoError(t, os.Mkdir(dir, 0o700))
		require.NoError(t, os.Chmod(dir, mode))
		open(t, dir)
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, os.ModeDir|0o700, info.Mode())
	}
}

func TestLockIsCancellable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	a, b := open(t, dir), open(t, dir)
	tx, err := a.Begin(t.Context())
	require.NoError(t, err)
	for name, s := range map[string]*Session{"same session": a, "another": b} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := s.Begin(ctx)
			done <- err
		}()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled, name)
	}
	require.NoError(t, tx.End())
	// Nobody who gave up keeps it.
	for _, s := range []*Session{b, a, b} {
		tx, err = s.Begin(t.Context())
		require.NoError(t, err)
		require.NoError(t, tx.End())
	}
}

// A session is closed while a wait that was given up still goes on.
func TestCloseWhileWaiting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	a := open(t, dir)
	tx, err := a.Begin(t.Context())
	require.NoError(t, err)
	b, err := Open(dir, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = b.Begin(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, b.Close())
	require.NoError(t, tx.End())
	tx, err = a.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, tx.End())
}

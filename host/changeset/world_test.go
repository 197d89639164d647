//go:build unix

package changeset

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
	"github.com/ohhost/ohhost/tool"
)

// A world is a workspace, a jail that grants it, and a session.
type world struct {
	dir  string // the workspace
	jail *jail.Jail
	s    *session.Session
}

// openWorld opens what lies under base: w, the workspace, and s, the session.
func openWorld(base string) (*world, error) {
	dir := filepath.Join(base, "w")
	j, err := jail.New(&tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}}, nil)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(filepath.Join(base, "s"), nil)
	return &world{dir: dir, jail: j, s: s}, err
}

func (w *world) close() error {
	if err := w.jail.Close(); err != nil {
		return err
	}
	return w.s.Close()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(base, "w"), 0o755))
	w, err := openWorld(base)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.close()) })
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// file makes a file with exactly this mode.
func (w *world) file(t *testing.T, name, content string, mode fs.FileMode) string {
	t.Helper()
	require.NoError(t, os.WriteFile(w.path(name), []byte(content), 0o600))
	require.NoError(t, os.Chmod(w.path(name), mode))
	return w.path(name)
}

// apply applies one change.
func (w *world) apply(ctx context.Context, c Change, opts *Options) (Outcome, error) {
	out, err := Apply(ctx, w.jail, w.s, &Set{Changes: []Change{c}}, opts)
	if err != nil {
		return Outcome{}, err
	}
	return out[0], nil
}

func (w *world) must(t *testing.T, c Change) Outcome {
	t.Helper()
	out, err := w.apply(t.Context(), c, nil)
	require.NoError(t, err)
	return out
}

// tree is what lies in a directory: mode, and content or a link's text, by
// relative path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			got[rel] = "link " + to
			return err
		case d.IsDir():
			got[rel] = fmt.Sprintf("dir %04o", bits(info.Mode()))
			return nil
		}
		b, err := os.ReadFile(path)
		got[rel] = fmt.Sprintf("%04o %s", bits(info.Mode()), b)
		return err
	}))
	return got
}

// replaceFirst is an edit of the first occurrence of old in an ASCII LF text.
func replaceFirst(content, old, new string) []text.Splice {
	at := bytes.Index([]byte(content), []byte(old))
	return []text.Splice{{At: at, Del: len(old), Insert: []byte(new)}}
}

// undone takes back the newest entry of the path and returns its content.
func (w *world) undo(path string) Change {
	return Change{Op: Undo, Path: path, Undo: path}
}

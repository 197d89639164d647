//go:build unix

package changeset

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/tool"
)

// A file that is granted by itself is replaced like any other; its directory is
// not the caller's.
func TestSingleFileGrant(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "old", 0o640)
	w.file(t, "secret", "x", 0o600)
	j, err := jail.New(&tool.Grant{Paths: []tool.PathGrant{{Path: f, Write: true}}}, nil)
	require.NoError(t, err)
	defer j.Close()
	alone := &world{dir: w.dir, jail: j, s: w.s}
	alone.must(t, Change{Op: Put, Path: f, Data: []byte("new"), Undo: f})
	require.Equal(t, map[string]string{"f": "0640 new", "secret": "0600 x"}, tree(t, w.dir))
	alone.must(t, alone.undo(f))
	require.Equal(t, map[string]string{"f": "0640 old", "secret": "0600 x"}, tree(t, w.dir))
	var denied *jail.DeniedError
	for _, c := range []Change{
		{Op: Put, Path: w.path("secret")}, {Op: Put, Path: w.path("n")}, {Op: Move, Path: f, To: w.path("g")},
	} {
		_, err = alone.apply(t.Context(), c, nil)
		require.ErrorAs(t, err, &denied)
	}
	require.Equal(t, map[string]string{"f": "0640 old", "secret": "0600 x"}, tree(t, w.dir))
}

// A link does not come to a name below which protected paths would lie, and a dry
// run says so, too.
func TestMoveOfALinkIsDecided(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, os.Symlink("elsewhere", w.path("link")))
	before := tree(t, w.dir)
	for _, name := range []string{".config", ".local", "x.git"} {
		for _, dry := range []bool{true, false} {
			c := Change{Op: Move, Path: w.path("link"), To: w.path(name)}
			_, err := w.apply(t.Context(), c, &Options{DryRun: dry})
			var denied *jail.DeniedError
			require.ErrorAs(t, err, &denied, name)
			require.Equal(t, c.To, denied.Path)
			require.Equal(t, before, tree(t, w.dir))
		}
		f := w.file(t, "file", "x", 0o644)
		w.must(t, Change{Op: Move, Path: f, To: w.path(name)})
		w.must(t, Change{Op: Delete, Path: w.path(name)})
	}
	w.must(t, Change{Op: Move, Path: w.path("link"), To: w.path("config")})
	require.Equal(t, map[string]string{"config": "link elsewhere"}, tree(t, w.dir))
}

//go:build unix

package changeset

import (
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

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

func TestGrant(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w, other, file := filepath.Join(top, "w"), filepath.Join(top, "other"), filepath.Join(top, "w", "f")
	require.NoError(t, os.MkdirAll(w, 0o755))
	require.NoError(t, os.MkdirAll(other, 0o755))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(w, filepath.Join(top, "link")))
	type paths = []tool.PathGrant
	tests := []struct {
		name   string
		flags  grantFlags
		want   paths
		failed string
	}{
		{"default", grantFlags{dir: w}, paths{{Path: w, Write: true}}, ""},
		{"through a link", grantFlags{dir: filepath.Join(top, "link")}, paths{{Path: w, Write: true}}, ""},
		{"more", grantFlags{dir: w, grants: []string{"ro:" + other, "rw:f"}}, paths{{Path: w, Write: true}, {Path: other}, {Path: file, Write: true}}, ""},
		{"narrower workspace", grantFlags{dir: w, grants: []string{"ro:."}}, paths{{Path: w}}, ""},
		{"narrower workspace, through a link", grantFlags{dir: w, grants: []string{"ro:" + filepath.Join(top, "link")}}, paths{{Path: w}}, ""},
		{"the last one counts", grantFlags{dir: w, grants: []string{"ro:../other", "rw:" + other + "/"}}, paths{{Path: w, Write: true}, {Path: other, Write: true}}, ""},
		{"colon in the path, to be made", grantFlags{dir: w, grants: []string{"ro:a:b"}}, paths{{Path: w, Write: true}, {Path: filepath.Join(w, "a:b")}}, ""},
		{"no such directory", grantFlags{dir: w, grants: []string{"ro:none/b"}}, nil, "--grant ro:none/b: lstat " + w + "/none: no such file or directory"},
		{"bad pattern", grantFlags{dir: w, deny: []string{"a["}}, nil, "deny: pattern \"a[\": its [ has no ]"},
		{"no mode", grantFlags{dir: w, grants: []string{other}}, nil, "--grant " + other + ": want ro:PATH or rw:PATH"},
		{"wrong mode", grantFlags{dir: w, grants: []string{"wo:" + other}}, nil, "--grant wo:" + other + ": want ro:PATH or rw:PATH"},
		{"no path", grantFlags{dir: w, grants: []string{"rw:"}}, nil, "--grant rw:: want ro:PATH or rw:PATH"},
		{"no directory", grantFlags{dir: file}, nil, file + ": not a directory"},
		{"missing", grantFlags{dir: filepath.Join(top, "none")}, nil, "lstat " + top + "/none: no such file or directory"},
		{"bad session", grantFlags{dir: w, session: ".."}, nil, `session name "..": want 1 to 64 of the characters A-Z a-z 0-9 . _ -`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, err := tt.flags.grant()
			if tt.failed != "" {
				require.EqualError(t, err, tt.failed)
				require.Equal(t, exitUsage, exitCode(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, &tool.Grant{Workspace: w, Paths: tt.want}, g)
		})
	}

	f := grantFlags{dir: w, deny: []string{"*.key"}, allow: []string{".git/hooks/*"}, session: "mine"}
	g, err := f.grant()
	require.NoError(t, err)
	require.Equal(t, &tool.Grant{Workspace: w, Paths: paths{{Path: w, Write: true}}, Deny: []string{"*.key"}, AllowProtected: []string{".git/hooks/*"}, Session: "mine"}, g)
}

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
	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(w, link))
	require.NoError(t, os.Mkdir(filepath.Join(w, "d"), 0o755))
	deep := filepath.Join(top, "other", "deep") // its ".." is w
	require.NoError(t, os.Symlink(filepath.Join(w, "d"), deep))
	require.NoError(t, os.Symlink("none", filepath.Join(top, "dangling")))
	type paths = []tool.PathGrant
	tests := []struct {
		name   string
		flags  grantFlags
		want   paths
		failed string
	}{
		{"default", grantFlags{dir: w}, paths{{Path: w, Write: true}}, ""},
		{"through a link", grantFlags{dir: link}, paths{{Path: link, Write: true}}, ""},
		{"links stay in a grant", grantFlags{dir: link, grants: []string{"ro:" + link + "/f", "rw:d", "ro:" + deep}},
			paths{{Path: link, Write: true}, {Path: link + "/f"}, {Path: link + "/d"}, {Path: deep}}, ""},
		{"what a link's .. is", grantFlags{dir: w, grants: []string{"ro:" + deep + "/../f", "ro:" + top + "/other/../link/f"}},
			paths{{Path: w, Write: true}, {Path: file}, {Path: link + "/f"}}, ""},
		{"what a linked workspace's .. is", grantFlags{dir: deep, grants: []string{"ro:../f"}}, paths{{Path: deep, Write: true}, {Path: file}}, ""},
		{"to be made behind a link", grantFlags{dir: w, grants: []string{"rw:" + deep + "/../new/", "rw:" + link + "/new2"}},
			paths{{Path: w, Write: true}, {Path: w + "/new", Write: true}, {Path: link + "/new2", Write: true}}, ""},
		{"more", grantFlags{dir: w, grants: []string{"ro:" + other, "rw:f"}}, paths{{Path: w, Write: true}, {Path: other}, {Path: file, Write: true}}, ""},
		{"narrower workspace", grantFlags{dir: w, grants: []string{"ro:."}}, paths{{Path: w}}, ""},
		{"narrower workspace, through a link", grantFlags{dir: w, grants: []string{"ro:" + link}}, paths{{Path: w}, {Path: link}}, ""},
		{"narrower, then wider again", grantFlags{dir: link, grants: []string{"ro:" + w, "rw:."}}, paths{{Path: w, Write: true}, {Path: link, Write: true}}, ""},
		{"the last one counts", grantFlags{dir: w, grants: []string{"ro:../other", "rw:" + other + "/"}}, paths{{Path: w, Write: true}, {Path: other, Write: true}}, ""},
		{"colon in the path, to be made", grantFlags{dir: w, grants: []string{"ro:a:b"}}, paths{{Path: w, Write: true}, {Path: filepath.Join(w, "a:b")}}, ""},
		{"no such directory", grantFlags{dir: w, grants: []string{"ro:none/b"}}, nil, "--grant ro:none/b: lstat " + w + "/none: no such file or directory"},
		{"a link to nothing", grantFlags{dir: w, grants: []string{"ro:../dangling/"}}, nil, "--grant ro:../dangling/: lstat " + top + "/none: no such file or directory"},
		{"nothing's parent", grantFlags{dir: w, grants: []string{"ro:none/.."}}, nil, "--grant ro:none/..: lstat " + w + "/none: no such file or directory"},
		{"bad pattern", grantFlags{dir: w, deny: []string{"a["}}, nil, "deny: pattern \"a[\": its [ has no ]"},
		{"no mode", grantFlags{dir: w, grants: []string{other}}, nil, "--grant " + other + ": want ro:PATH or rw:PATH"},
		{"wrong mode", grantFlags{dir: w, grants: []string{"wo:" + other}}, nil, "--grant wo:" + other + ": want ro:PATH or rw:PATH"},
		{"no path", grantFlags{dir: w, grants: []string{"rw:"}}, nil, "--grant rw:: want ro:PATH or rw:PATH"},
		{"no directory", grantFlags{dir: file}, nil, file + ": not a directory"},
		{"missing", grantFlags{dir: filepath.Join(top, "none")}, nil, "stat " + top + "/none: no such file or directory"},
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
			workspace, err := filepath.EvalSymlinks(tt.flags.dir)
			require.NoError(t, err)
			require.Equal(t, &tool.Grant{Workspace: workspace, Paths: tt.want}, g)
		})
	}

	f := grantFlags{dir: w, deny: []string{"*.key"}, allow: []string{".git/hooks/*"}, session: "mine"}
	g, err := f.grant()
	require.NoError(t, err)
	require.Equal(t, &tool.Grant{Workspace: w, Paths: paths{{Path: w, Write: true}}, Deny: []string{"*.key"}, AllowProtected: []string{".git/hooks/*"}, Session: "mine"}, g)
}

// TestPatternsAreRelative: an absolute pattern would deny nothing, in silence.
func TestPatternsAreRelative(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w, link, file := filepath.Join(top, "w [1]"), filepath.Join(top, "link"), filepath.Join(top, "f")
	require.NoError(t, os.Mkdir(w, 0o755))
	require.NoError(t, os.Symlink(w, link))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	const relative = "patterns are relative to each granted directory: write "
	tests := []struct{ pattern, grant, hint string }{
		{"*.key", "", ""},
		{"/sub/path", "", ""},
		{"~", "", ""},
		{`\~/x`, "", ""},
		{link + "2/x", "", ""},
		{"~/x", "", "'/sub/path'"},
		{"!~/x", "", "'!/sub/path'"},
		{link + "/sub/*.key", "", "'/sub/*.key'"},
		{"!" + link + "/sub/", "", "'!/sub/'"},
		{w + "/sub", "", "'/sub'"},
		{top + `/w\ \[1\]/sub`, "", "'/sub/path'"},
		{link + "/", "", "'/sub/path'"},
		{file, "ro:" + file, "'/f'"},
		{"/etc/*.conf", "ro:/etc", "'/*.conf'"},
		// From the root directory it is right as resolved, and only so.
		{w + "/sub", "ro:/", ""},
		{"/etc/*.conf", "ro:/", ""},
		{link + "/sub", "ro:/", "'/sub'"},
	}
	for _, tt := range tests {
		for _, flag := range []string{"--deny", "--allow-protected"} {
			f := grantFlags{dir: link}
			if tt.grant != "" {
				f.grants = []string{tt.grant}
			}
			if flag == "--deny" {
				f.deny = []string{tt.pattern}
			} else {
				f.allow = []string{tt.pattern}
			}
			_, err := f.grant()
			if tt.hint == "" {
				require.NoError(t, err, tt.pattern)
				continue
			}
			require.ErrorContains(t, err, flag+" "+tt.pattern+": ")
			require.Equal(t, exitUsage, exitCode(err))
			require.Equal(t, relative+flag+" "+tt.hint, hint(err), tt.pattern)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest/guesttest"
)

func TestPrintPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": ".", ".": ".", "./": ".", "/": "/", "//": "//", "///": "/", "/.": "/", "//.": "//",
		"a": "a", "a/": "a", "a//b": "a/b", "./a": "a", "a/./b/.": "a/b", "..": "..", "a/..": "a/..", "/..": "/..",
		"/w//a/": "/w/a", "//w/a": "//w/a", "///w/a": "/w/a", "/w/./a/../b": "/w/a/../b", "/w/...": "/w/...",
		"file:///etc/x": "file:/etc/x", "~/x": "~/x", " /w": " /w", "/w/a\n": "/w/a\n", `C:\x`: `C:\x`,
	} {
		require.Equal(t, want, printPath(in), "%q", in)
	}
}

func TestSuffix(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/w/a.PNG": ".png", "/w/a.txt.gz": ".gz", "/w/.png": "", "/w/a.": "", "/w/a": "", "/w.d/a": "", "/w/..a": ".a", "a.É": ".É",
	} {
		require.Equal(t, want, suffix(in), "%q", in)
	}
}

func TestIsAbsolute(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"/": true, "/w": true, " \t/w": true, "~": true, "~/x": true, " ~/x": true, "~user": false, "~user/x": false,
		".": false, "a/b": false, " ": false, `C:\x`: false, "\u00a0/w": true,
	} {
		require.Equal(t, want, isAbsolute(in), "%q", in)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.write("d/a.txt", "x")
	require.NoError(t, os.Symlink("d", filepath.Join(w.root, "l")))
	require.NoError(t, os.Symlink("gone", filepath.Join(w.root, "dangling")))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(w.root), "out"), nil, 0o600))
	for _, tt := range []struct{ path, want string }{
		{w.root + "/d/a.txt", w.root + "/d/a.txt"},
		{w.root + "//l/./a.txt/", w.root + "/d/a.txt"},
		{w.root, w.root},
		{w.root + "/l/new/deep.txt", w.root + "/d/new/deep.txt"},
		{w.root + "/d/a.txt/below", w.root + "/d/a.txt/below"},
		{w.root + "/dangling", w.root + "/dangling"},
		{w.root + "/../out", w.root + "/../out"},
		{"/", "/"},
		{"//", "//"},
		{"/no-such-dir-anywhere/x", "/no-such-dir-anywhere/x"},
		{"relative/a", "relative/a"},
		{"~/a", "~/a"},
		{"/w/nul\x00", "/w/nul\x00"},
	} {
		for _, command := range []string{"view", "create"} {
			got := w.serve(abi.OpKeys, map[string]any{"command": command, "path": tt.path})
			require.Equal(t, []string{"file:" + tt.want}, got.keys, "%q", tt.path)
		}
	}
}

func TestPathsThatNeverReachTheHost(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	const nul = "/w/a\x00b"
	for _, tt := range []struct{ command, path, want string }{
		{"view", "~", invalidPath("~", hintMissing("~"))},
		{"create", "~/x", "Ran into [Errno 2] No such file or directory: '~/x' while trying to write to ~/x"},
		{"view", nul, invalidPath(nul, hintMissing(nul))},
		{"create", nul, "Ran into open: embedded null character in path while trying to write to " + nul},
		{"view", "~nobody/x", "Invalid `path` parameter: ~nobody/x. The path should be an absolute path."},
	} {
		got := w.call(map[string]any{"command": tt.command, "path": tt.path, "file_text": "x"})
		require.True(t, got.isError)
		require.Equal(t, tt.want, got.text(t))
	}
}

func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.write("d/x", "")
	guesttest.Build(t, w.root, []guesttest.File{{Path: "fifo", FIFO: true}})
	require.NoError(t, os.Symlink("loop", filepath.Join(w.root, "loop")))
	path := w.root + "/fifo"
	require.Equal(t, validationFailed(path, "File is not a regular file."), w.call(map[string]any{"command": "view", "path": path}).text(t))
	require.Equal(t, missing("old_str", "str_replace"), w.call(map[string]any{"command": "str_replace", "path": path}).text(t))
	require.Equal(t, invalidPath(path, hintExists(path)), w.call(map[string]any{"command": "create", "path": path, "file_text": ""}).text(t))
	dir := w.root + "/d"
	require.Equal(t, "Invalid `path` parameter: "+dir+". The path "+dir+" is a directory and only the `view` command can be used on directories.",
		w.call(map[string]any{"command": "undo_edit", "path": dir}).text(t))
	require.Equal(t, invalidPath(dir, hintExists(dir)), w.call(map[string]any{"command": "create", "path": dir, "file_text": ""}).text(t))
}

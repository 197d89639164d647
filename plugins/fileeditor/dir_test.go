package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestViewDirLarge(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	lines := []string{w.root + "/"}
	for i := range 900 {
		name := "d" + strconv.Itoa(1000+i)
		require.NoError(t, os.MkdirAll(filepath.Join(w.root, name, "日本"), 0o755))
		lines = append(lines, w.root+"/"+name+"/", w.root+"/"+name+"/日本/")
	}
	w.write(".hidden", "")
	whole := "Here's the files and directories up to 2 levels deep in " + w.root + ", excluding hidden items:\n" + strings.Join(lines, "\n") +
		"\n\n1 hidden files/directories in this directory are excluded. You can use 'ls -la " + w.root + "' to see them."
	require.Greater(t, utf8.RuneCountInString(whole), 2*limit)

	got := w.call(map[string]any{"command": "view", "path": w.root})
	require.False(t, got.isError)
	chars := []rune(whole)
	require.Equal(t, string(chars[:7909])+noticeDir+string(chars[len(chars)-7908:]), got.text(t))
	require.Less(t, w.host.lists, 800, "children that are not shown must not be asked for")
}

func TestViewDirOddNames(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	for _, name := range []string{"a\xff\xfeb", "z\\y", "\xe2\x80"} {
		if err := os.WriteFile(filepath.Join(w.root, name), nil, 0o600); err != nil {
			t.Skip("this file system takes UTF-8 names only:", err)
		}
	}
	got := w.call(map[string]any{"command": "view", "path": w.root})
	require.Equal(t, "Here's the files and directories up to 2 levels deep in "+w.root+", excluding hidden items:\n"+
		w.root+"/\n"+w.root+"/a\ufffd\ufffdb\n"+w.root+"/z\\y\n"+w.root+"/\ufffd\ufffd", got.text(t))
}

func TestViewDirThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads every directory")
	}
	w := newWorkspace(t)
	w.write("d/x", "")
	require.NoError(t, os.Chmod(filepath.Join(w.root, "d"), 0))
	got := w.call(map[string]any{"command": "view", "path": w.root})
	require.True(t, strings.HasSuffix(got.text(t), "\n"+w.root+"/\n"+w.root+"/d/"), got.text(t))
	got = w.call(map[string]any{"command": "view", "path": w.root + "/d"})
	require.Equal(t, "Ran into [Errno 13] Permission denied: '"+w.root+"/d' while trying to read "+w.root+"/d", got.text(t))
}

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
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

// madeUp is a name of a made-up entry, some with characters of several bytes,
// some with bytes that are none.
func madeUp(r *rand.Rand, i int) string {
	return []string{"", "", ".", "d", "é", "日本", "\U0001f600", "x\xff\xe2"}[r.IntN(8)] + strconv.Itoa(i) + strings.Repeat("日", r.IntN(20))
}

// TestViewDirBounded compares what is shown with the naive way to find it: all
// lines, clipped in the end.
func TestViewDirBounded(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		const root = "/made/up"
		dirs := map[string][]abi.Entry{root: {}}
		sizes := []int{0, 1, 30, 700, 40000}
		// Few entries with many children, or more and more entries with few.
		n, most := 1+r.IntN(4), len(sizes)
		if seed%3 > 0 {
			n, most = 1+r.IntN(sizes[2+r.IntN(3)]), 2+int(seed)%2
		}
		for i := range n {
			e := abi.Entry{Name: madeUp(r, i), Type: abi.TypeFile, Target: abi.TypeFile}
			if r.IntN(4) > 0 {
				e.Type, e.Target = abi.TypeDir, abi.TypeDir
				children := []abi.Entry{}
				for k := range sizes[r.IntN(most)] {
					children = append(children, abi.Entry{Name: madeUp(r, k), Type: abi.TypeLink, Target: byte(r.IntN(3))})
				}
				if r.IntN(10) == 0 {
					children = nil
				}
				dirs[root+"/"+e.Name] = children
			}
			dirs[root] = append(dirs[root], e)
		}
		w := &workspace{t, &fakeHost{dirs: dirs}, root}
		got := w.call(map[string]any{"command": "view", "path": root})
		require.False(t, got.isError)
		require.Equal(t, clip(naiveView(dirs, root), noticeDir), got.text(t), "seed %d", seed)
	}
}

func naiveView(dirs map[string][]abi.Entry, root string) string {
	sorted := func(path string) []abi.Entry {
		return slices.SortedFunc(slices.Values(dirs[path]), func(a, b abi.Entry) int { return strings.Compare(a.Name, b.Name) })
	}
	line := func(path string, e abi.Entry) string {
		s := "\n" + string([]rune(path))
		if e.Target == abi.TypeDir {
			s += "/"
		}
		return s
	}
	var text strings.Builder
	text.WriteString("Here's the files and directories up to 2 levels deep in " + root + ", excluding hidden items:\n" + root + "/")
	hidden := 0
	for _, e := range sorted(root) {
		if e.Name[0] == '.' {
			hidden++
			continue
		}
		path := root + "/" + e.Name
		text.WriteString(line(path, e))
		for _, child := range sorted(path) {
			if child.Name[0] != '.' {
				text.WriteString(line(path+"/"+child.Name, child))
			}
		}
	}
	if hidden > 0 {
		text.WriteString("\n\n" + strconv.Itoa(hidden) + " hidden files/directories in this directory are excluded. You can use 'ls -la " + root + "' to see them.")
	}
	return text.String()
}

func TestViewDirTooMany(t *testing.T) {
	t.Parallel()
	w := &workspace{t, &fakeHost{dirs: map[string][]abi.Entry{
		"/d": {{Name: "sub", Type: abi.TypeDir, Target: abi.TypeDir}, {Name: "x", Type: abi.TypeFile, Target: abi.TypeFile}}, "/d/sub": nil,
	}}, "/d"}
	got := w.call(map[string]any{"command": "view", "path": "/d"})
	require.False(t, got.isError)
	require.Equal(t, "Here's the files and directories up to 2 levels deep in /d, excluding hidden items:\n/d/\n/d/sub/\n/d/x", got.text(t))
	got = w.call(map[string]any{"command": "view", "path": "/d/sub"})
	require.True(t, got.isError)
	require.Equal(t, "Ran into the directory has too many entries to be listed (1048576 at most) while trying to read /d/sub", got.text(t))
}

// What is kept of a directory of any size is bounded: the memory of a module is.
func TestOutermost(t *testing.T) {
	t.Parallel()
	const n = limit/5 + 1 // the lines are "\n/日/x" at least
	entries := make([]abi.Entry, 2*n+1)
	for i := range entries {
		entries[i].Name = strconv.Itoa(i)
	}
	require.Equal(t, entries[1:], outermost(entries[1:], "/日"))
	require.Equal(t, slices.Delete(slices.Clone(entries), n, n+1), outermost(entries, "/日"))
	require.Empty(t, outermost(nil, "/"))
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

package codecache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLoadMissing(t *testing.T) {
	c := newPlace(t).open(t)
	_, err := load(c, "n")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLaterProcess: what one cache has stored, the next one loads.
func TestLaterProcess(t *testing.T) {
	p := newPlace(t)
	first, err := Open(p.dir, p.key, &Options{})
	require.NoError(t, err)
	require.NoError(t, first.Store("n", [][]byte{[]byte("code"), []byte("image")}))
	require.NoError(t, first.Close())
	parts, err := load(p.open(t), "n")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("code"), []byte("image")}, parts)
}

func TestNames(t *testing.T) {
	c := newPlace(t).open(t)
	for _, name := range []string{"a", "0", ".", "..", "...", "-", "x.entry", "x.tmp", "pruned", strings.Repeat("a", 160)} {
		require.NoError(t, c.Store(name, [][]byte{[]byte(name)}), "%q", name)
	}
	for _, name := range []string{"a", "0", ".", "..", "...", "-", "x.entry", "x.tmp", "pruned", strings.Repeat("a", 160)} {
		parts, err := load(c, name)
		require.NoError(t, err, "%q", name)
		require.Equal(t, [][]byte{[]byte(name)}, parts)
	}
	for _, name := range []string{"", "A", "a/b", "../a", "a\\b", "a\x00", "a b", "ä", "a:b", strings.Repeat("a", 161)} {
		want := fmt.Sprintf("name of a cache entry %.*q: it must be 1 to 160 of a-z, 0-9, dot, underscore and dash", maxName, name)
		require.EqualError(t, c.Store(name, nil), want)
		_, err := load(c, name)
		require.EqualError(t, err, want)
	}
}

// TestS1Replay: an entry is refused under another name.
func TestS1Replay(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	require.NoError(t, c.Store("a", [][]byte{[]byte("of a")}))
	require.NoError(t, c.Store("b", [][]byte{[]byte("of b")}))
	require.NoError(t, os.Rename(p.entry("a"), p.entry("x")))
	require.NoError(t, os.Rename(p.entry("b"), p.entry("a")))
	require.NoError(t, os.Rename(p.entry("x"), p.entry("b")))
	require.Equal(t, wrongMAC, poisoned(t, c, "a"))
	require.Equal(t, wrongMAC, poisoned(t, c, "b"))
}

// TestS1AnotherKey: entries are refused when the key is not the one they were
// sealed with, as when the directory came from another machine.
func TestS1AnotherKey(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, p.open(t).Store("n", nil))
	require.NoError(t, os.Remove(p.key))
	c := p.open(t)
	require.Equal(t, wrongMAC, poisoned(t, c, "n"))
	require.NoError(t, c.Store("n", nil))
	_, err := load(c, "n")
	require.NoError(t, err)
}

// TestConcurrent: those who load see one whole entry or another while it is
// replaced, and nothing is left beside it.
func TestConcurrent(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	entry := func(i int) [][]byte {
		return [][]byte{[]byte(strconv.Itoa(i)), bytes.Repeat([]byte{byte(i)}, 10_000*(i+1))}
	}
	require.NoError(t, c.Store("n", entry(0)))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				if err := c.Store("n", entry(i)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 40 {
				parts, err := load(c, "n")
				if err != nil {
					t.Error(err)
					return
				}
				i, err := strconv.Atoi(string(parts[0]))
				if err != nil || !bytes.Equal(parts[1], entry(i)[1]) {
					t.Error("a mixed entry")
				}
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(p.dir)
	require.NoError(t, err)
	require.Len(t, files, 2, "n.entry and pruned")
}

// childStore is a process that starts when a file appears, stores one entry and
// loads it.
func childStore(args []string) error {
	dir, key, start, name := args[0], args[1], args[2], args[3]
	fmt.Println("ready")
	for {
		if _, err := os.Stat(start); err == nil {
			break
		}
		time.Sleep(50 * time.Microsecond)
	}
	c, err := Open(dir, key, nil)
	if err != nil {
		return err
	}
	if err := c.Store(name, [][]byte{[]byte(name)}); err != nil {
		return err
	}
	_, err = load(c, name)
	return errors.Join(err, c.Close())
}

// TestOneKey: processes that start at once, with neither directory nor key, agree
// on one key.
func TestOneKey(t *testing.T) {
	const rounds, processes = 5, 4
	for range rounds {
		p := newPlace(t)
		start := filepath.Join(p.top, "start")
		var wait []func() error
		for i := range processes {
			cmd := child(t, "store", p.dir, p.key, start, "n"+strconv.Itoa(i))
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			_, err = out.Read(make([]byte, 6)) // "ready"
			require.NoError(t, err)
			wait = append(wait, cmd.Wait)
		}
		require.NoError(t, os.WriteFile(start, nil, 0o600))
		for _, w := range wait {
			require.NoError(t, w())
		}
		c := p.open(t)
		for i := range processes {
			name := "n" + strconv.Itoa(i)
			parts, err := load(c, name)
			require.NoError(t, err)
			require.Equal(t, [][]byte{[]byte(name)}, parts)
		}
		files, err := os.ReadDir(filepath.Dir(p.key))
		require.NoError(t, err)
		require.Len(t, files, 1, "the key alone")
	}
}

// TestFailedStore: a store that fails says so, leaves no file behind and spares the
// entry that was there.
func TestFailedStore(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	require.NoError(t, c.Store("n", [][]byte{[]byte("code")}))
	half := make([]byte, maxEntry/2)
	require.EqualError(t, c.Store("n", [][]byte{half, half}), "store cache entry n: it would have more than 536870912 bytes")
	parts, err := load(c, "n")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("code")}, parts)

	require.NoError(t, os.RemoveAll(p.dir))
	require.ErrorIs(t, c.Store("n", nil), fs.ErrNotExist)
	_, err = load(c, "n")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// age sets a file's time back.
func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	require.NoError(t, os.Chtimes(path, then, then))
}

// TestTouch: Load notes the use of an entry, once a day.
func TestTouch(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	require.NoError(t, c.Store("n", nil))
	for _, s := range []struct {
		by      time.Duration
		touched bool
	}{{23 * time.Hour, false}, {25 * time.Hour, true}, {-23 * time.Hour, false}, {-25 * time.Hour, true}} {
		age(t, p.entry("n"), s.by)
		_, err := load(c, "n")
		require.NoError(t, err)
		info, err := os.Stat(p.entry("n"))
		require.NoError(t, err)
		require.Equal(t, s.touched, time.Since(info.ModTime()).Abs() < time.Hour, s.by)
	}
}

func TestPrune(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	for _, name := range []string{"old", "kept", "new"} {
		require.NoError(t, c.Store(name, nil))
	}
	outside := filepath.Join(p.top, "outside")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	make := func(name string, by time.Duration) {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir, name), nil, 0o600))
		age(t, filepath.Join(p.dir, name), by)
	}
	make("DEAD.tmp", 2*time.Hour)
	make("ALIVE.tmp", time.Minute)
	make("foreign", 1000*day)
	require.NoError(t, os.MkdirAll(p.entry("dir")+"/a", 0o700))
	age(t, p.entry("dir"), 11*day)
	age(t, p.entry("old"), 11*day)
	age(t, p.entry("kept"), 11*day)
	age(t, p.entry("new"), 9*day)

	require.NoError(t, c.Prune(func(name string) bool { return name == "kept" }, 10*day))
	require.Equal(t, []string{"ALIVE.tmp", "foreign", "kept.entry", "new.entry", "pruned"}, list(t, p.dir))
	require.NoError(t, c.Prune(nil, 10*day))
	require.Equal(t, []string{"ALIVE.tmp", "foreign", "new.entry", "pruned"}, list(t, p.dir))
	require.FileExists(t, outside)
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestPruneDaily: Store prunes once a day.
func TestPruneDaily(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	stamp := filepath.Join(p.dir, stampFile)
	old := func() {
		require.NoError(t, c.Store("old", nil))
		age(t, p.entry("old"), unusedFor+time.Hour)
	}
	old()
	require.NoError(t, c.Store("new", nil))
	require.FileExists(t, p.entry("old"), "pruned less than a day ago")
	for _, by := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		old()
		age(t, stamp, by)
		require.NoError(t, c.Store("new", nil))
		require.NoFileExists(t, p.entry("old"))
		require.FileExists(t, p.entry("new"))
		info, err := os.Stat(stamp)
		require.NoError(t, err)
		require.Less(t, time.Since(info.ModTime()).Abs(), time.Hour)
	}
}

package host_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// TestCacheDirectory: vectors S1 and S2: compiled code is kept in a directory
// that nobody else can write to, or not at all.
func TestCacheDirectory(t *testing.T) {
	if host.Interpreted {
		t.Skip("nothing is compiled, so nothing is cached, with -race")
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, dir string)
		warning string
	}{
		{"missing", func(*testing.T, string) {}, ""},
		{"too open to read", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir, 0o755))
		}, ""},
		{"others can write", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.Chmod(dir, 0o775))
		}, "others can write to it (mode 0775)"},
		{"a link of one's own", func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir+".real", 0o700))
			require.NoError(t, os.Symlink(dir+".real", dir))
		}, ""},
		{"a link of another user's", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can make a link another user's")
			}
			require.NoError(t, os.Mkdir(dir+".real", 0o700))
			require.NoError(t, os.Symlink(dir+".real", dir))
			require.NoError(t, os.Lchown(dir, 1234, 1234))
		}, "belongs to user 1234"},
		{"a file", func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}, "not a directory"},
		{"another user's", func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can make a directory another user's")
			}
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chown(dir, 1234, 1234))
		}, "belongs to user 1234"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "cache")
			c.prepare(t, dir)
			var log logBuffer
			h := newHost(t, func(o *host.Options) { o.CacheDir, o.Logger = dir, logger(&log) })
			load(t, h, "word", "word_count", workspace(t), false)
			if c.warning != "" {
				require.Equal(t, 1, strings.Count(log.String(), "[WARN]"))
				require.Contains(t, log.String(), c.warning)
				require.Empty(t, entries(t, dir))
				return
			}
			require.NotContains(t, log.String(), "[WARN]")
			require.Len(t, entries(t, dir), 2)
			fi, err := os.Stat(filepath.Join(dir, "code"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
		})
	}
}

// TestNoHome: without a home and with nowhere to write, tools still work.
func TestNoHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	var log logBuffer
	h, err := host.New(&host.Options{Logger: logger(&log)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close(t.Context())) })
	dir := workspace(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x y z"), 0o600))
	b := load(t, h, "word", "word_count", dir, false)
	res, err := b.Call(t.Context(), callPath(dir+"/a"))
	require.NoError(t, err)
	require.Equal(t, "3 words", res.Content[0].Text)
	require.Contains(t, log.String(), "undo_edit will find nothing")
}

// TestWazeroVersion: the cache's directory is named by the version in go.mod.
func TestWazeroVersion(t *testing.T) {
	b, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^\s*github\.com/tetratelabs/wazero `+regexp.QuoteMeta(strings.TrimPrefix(host.WazeroVersion, "wazero-"))+`( |$)`, string(b))
}

// TestUnusableState: where state cannot be kept, tools work without, with one
// warning; where somebody else may have prepared it, they do not.
func TestUnusableState(t *testing.T) {
	t.Parallel()
	top := workspace(t)
	file := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	dir := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x y"), 0o600))

	var log logBuffer
	h := newHost(t, func(o *host.Options) { o.StateDir, o.Logger = filepath.Join(file, "state"), logger(&log) })
	b := load(t, h, "word", "word_count", dir, false)
	for range 2 {
		res, err := b.Call(t.Context(), callPath(dir+"/a"))
		require.NoError(t, err)
		require.Equal(t, "2 words", res.Content[0].Text)
	}
	require.Equal(t, 1, strings.Count(log.String(), "running without state"))

	open := filepath.Join(top, "open")
	require.NoError(t, os.MkdirAll(filepath.Join(open, "sessions", "s"), 0o777))
	require.NoError(t, os.Chmod(filepath.Join(open, "sessions", "s"), 0o777))
	h = newHost(t, func(o *host.Options) { o.StateDir = open })
	require.NoError(t, h.Load(t.Context(), "word", guest(t, "word"), nil))
	_, err := h.Bind(t.Context(), "word_count", &tool.Grant{Workspace: dir, Session: "s"})
	require.ErrorContains(t, err, open+"/sessions/s")
}

// TestOwnProgram: a plugin that may write where ohhost itself lies cannot replace
// it.
func TestOwnProgram(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	b := load(t, newHost(t, nil), "word", "word_count", filepath.Dir(exe), true)
	_, err = b.Call(t.Context(), callPath(exe))
	require.ErrorIs(t, err, tool.ErrDenied)
}

// TestS1CachedCode: a cache whose files are damaged costs time and a warning, not
// the call; the next host finds it in order. Vector S1: so does one into which
// somebody has put other code.
func TestS1CachedCode(t *testing.T) {
	if host.Interpreted {
		t.Skip("nothing is compiled, so nothing is cached, with -race")
	}
	t.Parallel()
	dir := workspace(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x y"), 0o600))
	cache, state := filepath.Join(t.TempDir(), "cache"), filepath.Join(t.TempDir(), "state")
	run := func() string {
		t.Helper()
		var log logBuffer
		h := newHost(t, func(o *host.Options) { o.CacheDir, o.StateDir, o.Logger = cache, state, logger(&log) })
		res, err := load(t, h, "word", "word_count", dir, false).Call(t.Context(), callPath(dir+"/a"))
		require.NoError(t, err)
		require.Equal(t, "2 words", res.Content[0].Text)
		return log.String()
	}
	require.NotContains(t, run(), "[WARN]")
	require.Len(t, entries(t, cache), 2) // the module, and what wazero made of it
	for _, entry := range entries(t, cache) {
		good, err := os.ReadFile(entry)
		require.NoError(t, err)
		for name, b := range map[string][]byte{
			"empty":        nil,
			"cut short":    good[:len(good)/2],
			"one bit":      flipped(good, len(good)/2),
			"last byte":    flipped(good, len(good)-1),
			"longer":       append(slices.Clone(good), 0),
			"another file": []byte("MZ"),
		} {
			require.NoError(t, os.WriteFile(entry, b, 0o600))
			require.Equal(t, 1, strings.Count(run(), "cached code was changed by somebody else, compiling anew"), name)
			require.NotContains(t, run(), "[WARN]", name)
		}
	}

	require.NoError(t, os.Remove(filepath.Join(state, "cache.key")))
	require.NotContains(t, run(), "[WARN]") // another key: other entries
	require.Len(t, entries(t, cache), 4)
}

// TestS2KeyInCache: a key that lies beside what it protects protects nothing.
func TestS2KeyInCache(t *testing.T) {
	if host.Interpreted {
		t.Skip("nothing is compiled, so nothing is cached, with -race")
	}
	cache := filepath.Join(t.TempDir(), "cache")
	var log logBuffer
	h := newHost(t, func(o *host.Options) {
		o.CacheDir, o.StateDir, o.Logger = cache, filepath.Join(cache, "code", "state"), logger(&log)
	})
	load(t, h, "word", "word_count", workspace(t), false)
	require.Contains(t, log.String(), "running without a cache of compiled plugins")
	require.Empty(t, entries(t, cache))
}

func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 1
	return b
}

// entries lists the compiled modules in a cache.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "code", "*.entry"))
	require.NoError(t, err)
	return files
}

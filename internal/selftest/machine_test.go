//go:build unix

package selftest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLook: each fact says yes or no and why, and looking changes nothing.
func TestLook(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("XDG_STATE_HOME", "")
	dir := t.TempDir()
	m := look(dir, nil)
	facts := map[string]Fact{}
	for _, f := range m.Facts {
		require.NotEmpty(t, f.Text, f.Name)
		facts[f.Name] = f
	}
	for _, name := range []string{"openat2", "compiler", "cache directory", "state directory", "user"} {
		require.Contains(t, facts, name)
	}
	require.Equal(t, interpreted(), !facts["compiler"].Have)
	for _, d := range []string{home, dir} {
		entries, err := os.ReadDir(d)
		require.NoError(t, err)
		require.Empty(t, entries)
	}

	t.Setenv("HOME", "")
	for _, f := range look(dir, nil).Facts {
		if f.Name == "state directory" {
			require.Equal(t, Fact{"state directory", false, "no: $HOME is not defined; there is no undo history, and no key for the cache"}, f)
		}
	}
}

func TestPrivateDir(t *testing.T) {
	top := t.TempDir()
	make := func(name string, mode os.FileMode) string {
		dir := filepath.Join(top, name)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.Chmod(dir, mode))
		return dir
	}
	exists, err := privateDir(make("own", 0o700))
	require.NoError(t, err)
	require.True(t, exists)
	exists, err = privateDir(filepath.Join(make("home", 0o755), "cache/ohhost"))
	require.NoError(t, err)
	require.False(t, exists)
	require.NoDirExists(t, filepath.Join(top, "home/cache"))

	open := make("open", 0o777)
	_, err = privateDir(open)
	require.EqualError(t, err, "others can write to "+open+" (mode 0777)")
	_, err = privateDir(filepath.Join(open, "ohhost"))
	require.EqualError(t, err, "others can write to "+open+" (mode 0777)")
	group := make("group", 0o770)
	_, err = privateDir(group)
	require.EqualError(t, err, "others can write to "+group+" (mode 0770)")
	file := filepath.Join(top, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = privateDir(filepath.Join(file, "ohhost"))
	require.EqualError(t, err, file+" is no directory")
	if os.Geteuid() == 0 {
		foreign := make("foreign", 0o700)
		require.NoError(t, os.Chown(foreign, 65534, 65534))
		_, err = privateDir(foreign)
		require.EqualError(t, err, foreign+" belongs to user 65534")
	}
}

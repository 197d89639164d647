package host_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

// attack runs the guest wasi_attack and returns the errno of each try by name.
func attack(t *testing.T, b tool.Tool, path, other string) map[string]string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"path": strings.TrimPrefix(path, "/"), "other": strings.TrimPrefix(other, "/")})
	require.NoError(t, err)
	res, err := b.Call(context.Background(), &tool.Call{Args: args})
	require.NoError(t, err)
	tries := map[string]string{}
	for _, word := range strings.Fields(res.Content[0].Text) {
		name, errno, _ := strings.Cut(word, "=")
		tries[name] = errno
	}
	return tries
}

// TestWASIReadOnly: vectors F8 and F9 through a real guest: whatever the grant
// says, WASI changes nothing, on an existing file, a missing one, a directory.
func TestWASIReadOnly(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{false, true} {
		dir := workspace(t)
		file, folder := filepath.Join(dir, "f"), filepath.Join(dir, "d")
		require.NoError(t, os.WriteFile(file, []byte("kept"), 0o640))
		require.NoError(t, os.Mkdir(folder, 0o755))
		before := tree(t, dir)
		b := load(t, newHost(t, nil), "wasi", "wasi_attack", dir, write)

		tries := attack(t, b, file, filepath.Join(dir, "other"))
		require.Equal(t, []string{"open", "stat"}, succeeded(tries), "%v", tries)
		tries = attack(t, b, filepath.Join(dir, "missing"), filepath.Join(dir, "other"))
		require.Empty(t, succeeded(tries), "%v", tries)
		tries = attack(t, b, folder, filepath.Join(dir, "other"))
		require.Equal(t, []string{"open", "stat"}, succeeded(tries), "%v", tries)
		require.Equal(t, before, tree(t, dir))
	}
}

// TestWASIOutside: a guest that goes around the services reaches no more than
// through them.
func TestWASIOutside(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	out := workspace(t)
	secret := filepath.Join(out, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o666))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "absolute")))
	rel, err := filepath.Rel(dir, secret)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(rel, filepath.Join(dir, "relative")))
	require.NoError(t, os.Symlink("/proc/self/environ", filepath.Join(dir, "environ")))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero")))
	before := tree(t, out)
	b := load(t, newHost(t, nil), "wasi", "wasi_attack", dir, true)
	for _, path := range []string{
		secret, dir + "/absolute", dir + "/relative", dir + "/../" + filepath.Base(out) + "/secret",
		dir + "/environ", "/proc/self/environ", dir + "/zero", "/dev/zero", "/etc/passwd", dir + "/absolute/", "../../../../../../etc/passwd",
	} {
		tries := attack(t, b, path, dir+"/other")
		require.Empty(t, succeeded(tries), "%s: %v", path, tries)
	}
	require.Equal(t, before, tree(t, out))
}

// succeeded lists the tries without an error, sorted.
func succeeded(tries map[string]string) []string {
	var ok []string
	for _, name := range slices.Sorted(maps.Keys(tries)) {
		if tries[name] == "0" {
			ok = append(ok, name)
		}
	}
	return ok
}

// tree is every path below dir with its mode and, of a file, its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		out[p] = fi.Mode().String() + fi.ModTime().String()
		if fi.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			out[p] += string(b)
			return err
		}
		return nil
	}))
	return out
}

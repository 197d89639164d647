package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHome: where the workspace is the user's home, ohhost's own cache (native
// code that it runs), state and configuration stay closed to the tools, by any
// spelling and by links, before they exist and after.
func TestHome(t *testing.T) {
	home := workspace(t)
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "XDG_") && !strings.HasPrefix(kv, "HOME=") {
			env = append(env, kv)
		}
	}
	env = append(env, "HOME="+home)
	run := func(args ...string) (string, string, int) {
		var out, errs strings.Builder
		cmd := exec.Command(binary, append([]string{"call", "file_editor", "-C", home}, args...)...)
		cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
		err := cmd.Run()
		if _, ok := err.(*exec.ExitError); !ok {
			require.NoError(t, err)
		}
		return out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	own := []string{".cache/ohhost", ".local/state/ohhost", ".config/ohhost"}
	closed := func(path string) {
		t.Helper()
		for _, command := range []string{
			`{"command":"view","path":"` + path + `"}`,
			`{"command":"create","path":"` + path + `","file_text":"x"}`,
			`{"command":"create","path":"` + path + `/x","file_text":"x"}`,
		} {
			out, errs, code := run(command)
			require.Equal(t, 3, code, "%s: %s%s", command, out, errs)
			require.Contains(t, errs, "denied")
			require.Empty(t, out)
		}
	}
	for _, dir := range own {
		closed(filepath.Join(home, dir)) // some are made by the calls themselves, some never
	}
	require.NoDirExists(t, filepath.Join(home, ".config/ohhost"))

	require.NoError(t, os.MkdirAll(filepath.Join(home, ".config/ohhost"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "f.txt"), []byte("one\n"), 0o644))
	_, errs, code := run(`{"command":"str_replace","path":"` + home + `/f.txt","old_str":"one","new_str":"two"}`)
	require.Zero(t, code, errs)
	require.NoError(t, os.Symlink(filepath.Join(home, ".cache"), filepath.Join(home, "link")))
	require.NoError(t, os.Symlink(filepath.Join(home, ".local/state/ohhost"), filepath.Join(home, "state")))
	files := 0
	for _, dir := range own {
		require.NoError(t, filepath.WalkDir(filepath.Join(home, dir), func(p string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			files++
			closed(p)
			return nil
		}))
	}
	require.Greater(t, files, 5, "there is something to close")
	closed(home + "/link/ohhost")
	closed(home + "/state")
	closed(home + "/./.cache/../.cache/ohhost")

	out, errs, code := run(`{"command":"view","path":"` + home + `/.cache"}`)
	require.Zero(t, code, errs)
	require.NotContains(t, out, "ohhost")
	_, errs, code = run("--grant", "rw:"+home+"/.cache/ohhost", `{"command":"view","path":"`+home+`/.cache/ohhost"}`)
	require.Equal(t, 3, code, errs)
}

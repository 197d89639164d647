package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
	"github.com/ohhost/ohhost/tool"
)

// BenchmarkEdit is one str_replace of a word in the middle of a file: by sed, by
// a Go program's own code, and through the plugin in a resident host. The sync
// variants report success when the file is on disk; the others, like sed, do not
// (Options.NoSync).
func BenchmarkEdit(b *testing.B) {
	for _, kb := range []int{4, 64} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			dir := tempDir(b)
			path := filepath.Join(dir, "f.txt")
			content := bytes.Repeat([]byte("a line of text for the benchmark of an edit\n"), kb*1024/44)
			content = bytes.Join([][]byte{content[:len(content)/2], content[len(content)/2:]}, []byte("NEEDLE"))
			fresh := func() { require.NoError(b, os.WriteFile(path, content, 0o644)) }
			args, err := json.Marshal(map[string]string{"command": "str_replace", "path": path, "old_str": "NEEDLE", "new_str": "needle"})
			require.NoError(b, err)
			sync, noSync := editor(b, dir, false), editor(b, dir, true)
			sideBySide(b,
				variant{"sed", fresh, func() error { return exec.Command("sed", "-i", "s/NEEDLE/needle/", path).Run() }},
				variant{"native", fresh, func() error { return native(path, false) }},
				variant{"plugin", fresh, func() error { return call(noSync, args) }},
				variant{"native-sync", fresh, func() error { return native(path, true) }},
				variant{"plugin-sync", fresh, func() error { return call(sync, args) }},
			)
		})
	}
}

// BenchmarkView is one view of a whole file.
func BenchmarkView(b *testing.B) {
	dir := tempDir(b)
	path := filepath.Join(dir, "f.txt")
	require.NoError(b, os.WriteFile(path, bytes.Repeat([]byte("a line of text\n"), 270), 0o644))
	args, err := json.Marshal(map[string]string{"command": "view", "path": path})
	require.NoError(b, err)
	e := editor(b, dir, true)
	sideBySide(b,
		variant{"cat", nil, func() error { return exec.Command("cat", "-n", path).Run() }},
		variant{"plugin", nil, func() error { return call(e, args) }},
	)
}

// native is what a careful program would do itself: read, replace, write beside
// it, rename.
func native(path string, sync bool) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if bytes.Count(b, []byte("NEEDLE")) != 1 {
		return fmt.Errorf("%s: not one match", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(bytes.Replace(b, []byte("NEEDLE"), []byte("needle"), 1)); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if !sync {
		return nil
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// editor is file_editor in a resident host, bound to dir, its module loaded.
func editor(b *testing.B, dir string, noSync bool) tool.Tool {
	h := newHost(b, noSync)
	t, err := h.Bind(context.Background(), "file_editor", grant(dir))
	require.NoError(b, err)
	return tool.Validate(t)
}

func newHost(b *testing.B, noSync bool) *host.Host {
	h, err := host.New(&host.Options{StateDir: filepath.Join(tempDir(b), "state"), NoSync: noSync})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, h.Close(context.Background())) })
	for _, p := range plugins.All() {
		require.NoError(b, h.Load(context.Background(), p.Name, p.Wasm, p.Tools))
	}
	return h
}

func call(t tool.Tool, args []byte) error {
	res, err := t.Call(context.Background(), &tool.Call{Args: args})
	if err == nil && res.IsError {
		err = fmt.Errorf("the tool failed: %s", tool.ModelText(res))
	}
	return err
}

func tempDir(b *testing.B) string {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	require.NoError(b, err)
	return dir
}

func grant(dir string) *tool.Grant {
	return &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}}
}

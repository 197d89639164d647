package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
)

// BenchmarkStart is a one-shot `ohhost call` with a warm cache against the start
// of the same binary.
func BenchmarkStart(b *testing.B) {
	dir := tempDir(b)
	bin := filepath.Join(dir, "ohhost")
	out, err := exec.Command("go", "build", "-o", bin, "github.com/ohhost/ohhost/cmd/ohhost").CombinedOutput()
	require.NoError(b, err, "%s", out)
	path := filepath.Join(dir, "f.txt")
	require.NoError(b, os.WriteFile(path, []byte("one\ntwo\n"), 0o644))
	env := append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	run := func(args ...string) func() error {
		return func() error {
			cmd := exec.Command(bin, args...)
			cmd.Env, cmd.Dir = env, dir
			return cmd.Run()
		}
	}
	sideBySide(b,
		variant{"version", nil, run("version")},
		variant{"tools", nil, run("tools")},
		variant{"call", nil, run("call", "file_editor", `{"command":"view","path":"`+path+`"}`)},
	)
}

// BenchmarkLoad is a host that starts, loads file_editor's compiled code and
// answers one call: from the cache on disk, and compiling it.
func BenchmarkLoad(b *testing.B) {
	if host.Interpreted {
		b.Skip("nothing is compiled with -race")
	}
	dir := tempDir(b)
	path := filepath.Join(dir, "f.txt")
	require.NoError(b, os.WriteFile(path, []byte("one\n"), 0o644))
	start := func(opts host.Options) func() error {
		return func() error {
			opts.StateDir = filepath.Join(dir, "state")
			h, err := host.New(&opts)
			if err != nil {
				return err
			}
			defer h.Close(context.Background())
			for _, p := range plugins.All() {
				if err := h.Load(context.Background(), p.Name, p.Wasm, p.Tools); err != nil {
					return err
				}
			}
			t, err := h.Bind(context.Background(), "file_editor", grant(dir))
			if err != nil {
				return err
			}
			return call(t, []byte(`{"command":"view","path":"`+path+`"}`))
		}
	}
	sideBySide(b,
		variant{"cached", nil, start(host.Options{CacheDir: filepath.Join(dir, "cache")})},
		variant{"compiled", nil, start(host.Options{NoCache: true})},
	)
}

package guesttest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
	"github.com/ohhost/ohhost/tool"
)

// slowEngineMax is the largest file, in bytes, of a case that runs on wazero's
// interpreter, which takes minutes for a view of 10 MiB.
const slowEngineMax = 1 << 20

// Run runs every case as a subtest named by its ID, on each engine: "native" for
// m, "module" for the committed module of that name.
func Run(t *testing.T, m *guest.Module, plugin string, cases []Case) {
	wasm := committed(t, plugin)
	for engine, start := range map[string]func(testing.TB) *host.Host{
		"native": func(t testing.TB) *host.Host { return NativeHost(t, m) },
		"module": func(t testing.TB) *host.Host { return ModuleHost(t, plugin, wasm, nil) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			for i := range cases {
				c := &cases[i]
				if engine == "module" && host.Interpreted && c.size() > slowEngineMax {
					continue // runs compiled, in the run without -race
				}
				t.Run(c.ID, func(t *testing.T) {
					t.Parallel()
					runCase(t, h, c)
				})
			}
		})
	}
}

func committed(t testing.TB, plugin string) []byte {
	for _, p := range plugins.All() {
		if p.Name == plugin {
			return p.Wasm
		}
	}
	require.Fail(t, "no committed module", plugin)
	return nil
}

// NativeHost is a host whose only plugin is native code. It ends with the test.
func NativeHost(t testing.TB, m *guest.Module) *host.Host {
	h := newHost(t)
	require.NoError(t, h.LoadNative(context.Background(), "native", &host.Native{
		Describe: m.Describe,
		Serve: func(input []byte, imports host.NativeImports) (*abi.Frame, error) {
			return m.Serve(input, imports)
		},
	}))
	return h
}

// ModuleHost is a host whose only plugin is a module. It ends with the test.
func ModuleHost(t testing.TB, name string, wasm []byte, specs []*abi.Spec) *host.Host {
	h := newHost(t)
	require.NoError(t, h.Load(context.Background(), name, wasm, specs))
	return h
}

func newHost(t testing.TB) *host.Host {
	h, err := host.New(&host.Options{
		CacheDir: filepath.Join(t.TempDir(), "cache"),
		StateDir: filepath.Join(t.TempDir(), "state"),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close(context.Background())) })
	return h
}

// runCase runs one case in a workspace and a session of its own.
func runCase(t *testing.T, h *host.Host, c *Case) {
	if c.Needs == "root" && os.Geteuid() != 0 {
		t.Skip("the case needs root")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(root, 0o755))
	Build(t, root, c.Files)
	w := Workspace{Host: h, Root: root}
	for i := range c.Calls {
		call := &c.Calls[i]
		switch {
		case call.Write != nil:
			Build(t, root, call.Write)
			continue
		case call.Remove != "":
			require.NoError(t, os.Remove(filepath.Join(root, call.Remove)))
			continue
		}
		raw := w.Call(t, call.Tool, place(call.Args, root))
		diffs, err := check(call, raw.replace(root, top), raw.text())
		require.NoError(t, err)
		require.Empty(t, diffs, "call %d: %s", i, c.Note)
	}
	diffs, err := checkAfter(root, c.After)
	require.NoError(t, err)
	require.Empty(t, diffs, c.Note)
}

// A Workspace is a granted folder to call tools in.
type Workspace struct {
	Host *host.Host
	Root string
}

// Call calls a tool as every edge does, arguments repaired and checked.
func (w *Workspace) Call(t testing.TB, name string, args json.RawMessage) Answer {
	ctx := context.Background()
	bound, err := w.Host.Bind(ctx, name, &tool.Grant{Workspace: w.Root, Paths: []tool.PathGrant{{Path: w.Root, Write: true}}})
	require.NoError(t, err)
	res, err := tool.Validate(bound).Call(ctx, &tool.Call{Args: args})
	if err != nil {
		return Answer{Kind: tool.Kind(err), Message: err.Error()}
	}
	var b bytes.Buffer
	require.NoError(t, tool.WriteObservation(&b, res))
	var a Answer
	require.NoError(t, json.Unmarshal(b.Bytes(), &a.Observation), "%.400s", b.String())
	return a
}

// replace puts the placeholder in for the workspace's path.
func (a Answer) replace(root, top string) Answer {
	r := strings.NewReplacer(root, Placeholder, top, Placeholder+"/..")
	o, _ := substitute(a.Observation, r).(map[string]any)
	return Answer{Observation: o, Kind: a.Kind, Message: r.Replace(a.Message)}
}

func substitute(v any, r *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return r.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = substitute(v[i], r)
		}
		return out
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = substitute(v[k], r)
		}
		return out
	}
	return v
}

package plugins_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/internal/wasmbuild/build"
	"github.com/ohhost/ohhost/plugins"
)

// TestFresh: no module is older than its source, and plugins.json is about the
// modules beside it.
func TestFresh(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	names, err := build.Plugins(root)
	require.NoError(t, err)
	var have []string
	for _, p := range plugins.All() {
		have = append(have, p.Name)
		sum := sha256.Sum256(p.Wasm)
		require.Equal(t, p.SHA256, hex.EncodeToString(sum[:]), "%s.wasm is not the one of plugins.json: run go generate ./plugins", p.Name)
		sources, err := build.Sources(root, "./plugins/"+p.Name)
		require.NoError(t, err)
		require.Equal(t, sources, p.Sources, "%s.wasm is older than its source: run go generate ./plugins", p.Name)
	}
	require.Equal(t, names, have)
}

// TestModules: a module describes the tools of plugins.json, imports the two
// modules that the contract allows, and exports what it must and nothing else: no
// stray capability creeps in.
func TestModules(t *testing.T) {
	for _, p := range plugins.All() {
		info, err := host.Inspect(context.Background(), p.Wasm)
		require.NoError(t, err)
		require.Equal(t, p.SHA256, info.SHA256)
		require.Equal(t, len(p.Wasm), info.Size)
		require.Equal(t, indented(t, p.Tools), indented(t, info.Tools))
		require.Equal(t, []string{abi.ExportInitialize, abi.ExportMemory, abi.ExportCall, abi.ExportDescribe}, info.Exports)
		for _, imp := range info.Imports {
			mod, name, _ := strings.Cut(imp, ".")
			switch mod {
			case abi.WASI:
				require.Contains(t, wasi, name, p.Name)
			case abi.Version:
			default:
				require.Fail(t, "import", "%s: %s", p.Name, imp)
			}
		}
	}
}

// wasi is what Go's runtime links; none of it opens, lists or changes a file.
var wasi = []string{
	"args_get", "args_sizes_get", "clock_time_get", "environ_get", "environ_sizes_get", "fd_write", "poll_oneoff",
	"proc_exit", "random_get", "sched_yield", "fd_fdstat_get", "fd_fdstat_set_flags", "fd_prestat_get", "fd_prestat_dir_name",
}

// TestPublished: what clients see is what models were trained on.
func TestPublished(t *testing.T) {
	b, err := os.ReadFile("../testdata/conformance/schemas.json")
	require.NoError(t, err)
	var reference map[string]struct {
		Title string          `json:"title"`
		MCP   json.RawMessage `json:"mcp_tool"`
	}
	require.NoError(t, json.Unmarshal(b, &reference))
	for _, p := range plugins.All() {
		for _, s := range p.Tools {
			want, ok := reference[s.Name]
			require.True(t, ok, s.Name)
			require.Equal(t, want.Title, s.Title)
			ours, err := json.Marshal(map[string]any{
				"name": s.Name, "description": strings.ReplaceAll(s.Description, abi.CWDPlaceholder, "${W}"),
				"inputSchema": s.InputSchema, "outputSchema": s.OutputSchema, "annotations": s.Annotations,
			})
			require.NoError(t, err)
			require.JSONEq(t, string(want.MCP), string(ours))
			require.True(t, slices.IsSortedFunc(p.Tools, func(a, b *abi.Spec) int { return strings.Compare(a.Name, b.Name) }))
		}
	}
}

func indented(t *testing.T, v any) string {
	b, err := json.MarshalIndent(v, "", "  ")
	require.NoError(t, err)
	return string(b)
}

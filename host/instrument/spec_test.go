package instrument_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/instrument"
)

// specLimits let all modules of the specification's tests pass that wazero runs.
var specLimits = &instrument.Limits{Tables: 1000, TableElements: 1 << 28, MemoryPages: 65536, BranchTargets: 1 << 16}

// specDir returns where wazero keeps the tests of the specification. They belong to
// it, so they are not copied here, and a test without them fails.
func specDir(t testing.TB) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
	require.DirExists(t, dir, "wazero's source is not in the module cache: go mod download")
	return dir
}

func spectestModule(t testing.TB) []byte {
	b, err := os.ReadFile(filepath.Join(specDir(t), "testdata", "spectest.wasm"))
	require.NoError(t, err)
	return b
}

// specFiles returns the command files (wast2json) that match patterns of the form
// suite/file.
func specFiles(t testing.TB, patterns ...string) []string {
	dir := specDir(t)
	var files []string
	for _, p := range patterns {
		suite, file := filepath.Split(p)
		list, err := filepath.Glob(filepath.Join(dir, suite, "testdata", file+".json"))
		require.NoError(t, err)
		require.NotEmpty(t, list, p)
		files = append(files, list...)
	}
	return files
}

// TestSpec plays the tests of the WebAssembly specification that come with wazero
// with the modules as they are and with rewritten ones side by side: one that yields
// at every check, one that yields seldom. After each command all must have given the
// same results and faults and be in the same state. What wazero refuses must be
// refused when it is rewritten, too.
func TestSpec(t *testing.T) {
	patterns := []string{"v1/*", "v2/*", "tail-call/*", "extended-const/*"}
	least := counts{modules: 4000, refused: 7700, calls: 113_000, faults: 5300}
	if raced {
		patterns = []string{"extended-const/*", "v2/table_*", "v2/br*", "v2/start", "v2/linking", "v2/data", "v2/elem", "v2/global"}
		least = counts{modules: 200, refused: 300, calls: 3000, faults: 1800}
	}
	var done counts
	files := int64(0)
	t.Run("files", func(t *testing.T) {
		for _, e := range engines() {
			for _, file := range specFiles(t, patterns...) {
				suite := filepath.Base(filepath.Dir(filepath.Dir(file)))
				if e.name == interpreter.name && suite == "v1" {
					continue // v2 has all of it
				}
				files++
				t.Run(strings.Join([]string{e.name, suite, strings.TrimSuffix(filepath.Base(file), ".json")}, "/"), func(t *testing.T) {
					t.Parallel()
					playSpec(t, e, file, &done)
				})
			}
		}
	})
	t.Logf("%d files, %d modules, %d refused ones, %d calls, %d faults", done.files, done.modules, done.refused, done.calls, done.faults)
	if done.files < files {
		return // they were chosen with -run
	}
	require.GreaterOrEqual(t, done.modules, least.modules)
	require.GreaterOrEqual(t, done.refused, least.refused)
	require.GreaterOrEqual(t, done.calls, least.calls)
	require.GreaterOrEqual(t, done.faults, least.faults)
}

// counts is what was played.
type counts struct{ files, modules, refused, calls, faults int64 }

func playSpec(t *testing.T, e engine, file string, done *counts) {
	atomic.AddInt64(&done.files, 1)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var script struct{ Commands []specCommand }
	require.NoError(t, json.Unmarshal(raw, &script))

	worlds := []*specWorld{
		newSpecWorld(t, e, nil),
		newSpecWorld(t, e, &meter{budget: 0}),
		newSpecWorld(t, e, &meter{budget: 1 << 40}),
	}
	for i, c := range script.Commands {
		if c.ModuleType == "text" || c.Type == "register" {
			continue // wazero reads no text; a name is given to the module before it
		}
		if next := i + 1; next < len(script.Commands) && script.Commands[next].Type == "register" {
			c.As = script.Commands[next].As
		}
		var wasm []byte
		if c.Filename != "" {
			wasm, err = os.ReadFile(filepath.Join(filepath.Dir(file), c.Filename))
			require.NoError(t, err)
		}
		want := worlds[0].do(c, wasm)
		for _, w := range worlds[1:] {
			got := w.do(c, wasm)
			switch c.Type {
			case "assert_invalid", "assert_malformed", "assert_unlinkable":
				require.Equal(t, want == "", got == "", "line %d, %s: %s, rewritten: %s", c.Line, c.Filename, want, got)
			default:
				require.Equal(t, want, got, "line %d, %s %s", c.Line, c.Filename, c.Action.Field)
			}
			w.sameState(t, worlds[0], c.Line)
		}
		switch {
		case wasm != nil && want == "":
			atomic.AddInt64(&done.modules, 1)
		case wasm != nil:
			atomic.AddInt64(&done.refused, 1)
		default:
			atomic.AddInt64(&done.calls, 1)
			if strings.HasPrefix(want, "fault: ") {
				atomic.AddInt64(&done.faults, 1)
			}
		}
	}
}

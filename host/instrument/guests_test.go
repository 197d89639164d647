package instrument_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ohhost/ohhost/abi"
)

// A guestHost gives a guest what describing itself takes: output.
type guestHost struct{ out bytes.Buffer }

func (h *guestHost) runtime(t *testing.T, e engine, m *meter) wazero.Runtime {
	ctx := context.Background()
	r := e.runtime(t, m)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	i32 := api.ValueTypeI32
	b := r.NewHostModuleBuilder(abi.Version)
	for name, params := range map[string]int{abi.ImportInput: 2, abi.ImportOutput: 2, abi.ImportLog: 3, abi.ImportProgress: 2, abi.ImportInvoke: 2} {
		var results []api.ValueType
		switch name {
		case abi.ImportInput:
			results = []api.ValueType{i32}
		case abi.ImportInvoke:
			results = []api.ValueType{api.ValueTypeI64}
		}
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
			switch name {
			case abi.ImportOutput:
				bytes, ok := mod.Memory().Read(api.DecodeU32(stack[0]), api.DecodeU32(stack[1]))
				if !ok || h.out.Len() > 1<<20 {
					panic(errors.New("output"))
				}
				h.out.Write(bytes)
			default:
				stack[0] = 0
			}
		}), []api.ValueType{i32, i32, i32}[:params], results).Export(name)
	}
	_, err := b.Instantiate(ctx)
	require.NoError(t, err)
	return r
}

// describe returns what a guest says that it is, or why it does not.
func describe(t *testing.T, e engine, m *meter, wasm []byte) string {
	h := &guestHost{}
	ctx := context.Background()
	mod, err := h.runtime(t, e, m).InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName("").WithStartFunctions(abi.ExportInitialize))
	if err != nil {
		return firstLine(err)
	}
	f := mod.ExportedFunction(abi.ExportDescribe)
	if f == nil {
		return "it describes nothing"
	}
	res, err := f.Call(ctx)
	if err != nil {
		return firstLine(err) + h.out.String()
	}
	return describeValues(f.Definition().ResultTypes(), res) + h.out.String()
}

// TestGuestsDescribe has all our plugins and the guests of tests describe themselves,
// as they are and rewritten.
func TestGuestsDescribe(t *testing.T) {
	files, err := filepath.Glob("../../testdata/guests/*.wasm")
	require.NoError(t, err)
	plugins, err := filepath.Glob("../../plugins/*/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, plugins)
	files = append(files, plugins...)
	require.Greater(t, len(files), 10)
	described := 0
	for _, e := range engines() {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".wasm")
			if name == "initialize_spin" {
				continue // as it is, it never ends
			}
			wasm, err := os.ReadFile(file)
			require.NoError(t, err)
			t.Run(e.name+"/"+name, func(t *testing.T) {
				want := describe(t, e, nil, wasm)
				require.Equal(t, want, describe(t, e, &meter{budget: 0}, rewritten(t, wasm, nil)))
				if strings.Contains(want, `"tools"`) {
					described++
				}
			})
		}
	}
	require.Greater(t, described, 2*len(engines()))
}

// TestR1InitializeSpins runs start-up code that never ends.
func TestR1InitializeSpins(t *testing.T) {
	wasm, err := os.ReadFile("../../testdata/guests/initialize_spin.wasm")
	require.NoError(t, err)
	for _, e := range engines() {
		m := &meter{budget: 1 << 10}
		m.onYield = func(api.Module, int64) {
			if m.yields > 100 {
				panic(errors.New("enough"))
			}
		}
		require.Equal(t, "module[] function[_initialize] failed: enough (recovered by wazero)", describe(t, e, m, rewritten(t, wasm, nil)))
	}
}

package instrument_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ohhost/ohhost/host/instrument"
)

// features are all that the package knows.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// A meter is the host of rewritten modules: it hands out budgets and counts what
// one module charges.
type meter struct {
	budget  int64 // what each yield hands out
	yields  int
	units   int64 // charged before the last yield
	given   int64
	onYield func(mod api.Module, charged int64)
}

func (m *meter) yield(_ context.Context, mod api.Module, stack []uint64) {
	charged := m.given - int64(stack[0])
	m.yields++
	m.units += charged
	m.given = m.budget
	if m.onYield != nil {
		m.onYield(mod, charged)
	}
	stack[0] = uint64(m.budget)
}

// charged returns all units that the module was charged, those since the last
// yield too.
func (m *meter) charged(mod api.Module) int64 {
	left := mod.ExportedGlobal(instrument.ExportBudget).Get()
	return m.units + m.given - int64(left)
}

// An engine is one of wazero's.
type engine struct {
	name   string
	config func() wazero.RuntimeConfig
}

var (
	compiler    = engine{"compiler", wazero.NewRuntimeConfigCompiler}
	interpreter = engine{"interpreter", wazero.NewRuntimeConfigInterpreter}
)

// engines are those that a test runs on.
func engines() []engine {
	if raced {
		return []engine{interpreter}
	}
	return []engine{compiler, interpreter}
}

// runtime returns a runtime in which rewritten modules find m; nil is a runtime
// for modules as they are.
func (e engine) runtime(t testing.TB, m *meter) wazero.Runtime {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, e.config().WithCoreFeatures(features))
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	if m != nil {
		_, err := r.NewHostModuleBuilder(instrument.ImportModule).NewFunctionBuilder().
			WithGoModuleFunction(api.GoModuleFunc(m.yield), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).
			Export(instrument.ImportYield).Instantiate(ctx)
		require.NoError(t, err)
	}
	return r
}

// rewritten returns the module with checks in it.
func rewritten(t testing.TB, wasm []byte, limits *instrument.Limits) []byte {
	m, err := instrument.Parse(wasm, limits)
	require.NoError(t, err)
	out, err := m.Rewrite(&instrument.Plan{})
	require.NoError(t, err)
	return out
}

// unnamed is how modules are instantiated that have no start-up code to be run.
var unnamed = wazero.NewModuleConfig().WithName("").WithStartFunctions()

// instantiate returns an instance of a module that has no start-up code to be run.
func instantiate(t testing.TB, r wazero.Runtime, wasm []byte) api.Module {
	mod, err := r.InstantiateWithConfig(context.Background(), wasm, unnamed)
	require.NoError(t, err)
	return mod
}

// metered returns an instance of the rewritten module.
func metered(t testing.TB, e engine, m *meter, wasm []byte) api.Module {
	return instantiate(t, e.runtime(t, m), rewritten(t, wasm, nil))
}

// firstLine is what a fault says, without the stack below it.
func firstLine(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

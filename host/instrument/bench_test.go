package instrument

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// BenchmarkMetering runs guest code as it is, metered, and under wazero's own
// checks, in turn, and reports medians in microseconds and ratios to the first.
// The budget is the host's.
func BenchmarkMetering(b *testing.B) {
	wasm := buildWork(b)
	m, err := Parse(wasm, nil)
	require.NoError(b, err)
	metered, err := m.Rewrite(&Plan{})
	require.NoError(b, err)
	ctx := context.Background()
	budget := int64(1 << 18)
	var yields int
	instances := make([]api.Module, 3)
	for i, v := range []struct {
		wasm []byte
		cod  bool
	}{{wasm, false}, {metered, false}, {wasm, true}} {
		r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(v.cod).
			WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall|experimental.CoreFeaturesExtendedConst))
		defer r.Close(ctx)
		wasi_snapshot_preview1.MustInstantiate(ctx, r)
		_, err = r.NewHostModuleBuilder(ImportModule).NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, s []uint64) {
			yields++
			s[0] = uint64(budget)
		}), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).Export(ImportYield).Instantiate(ctx)
		require.NoError(b, err)
		instances[i], err = r.InstantiateWithConfig(ctx, v.wasm, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
		require.NoError(b, err)
	}
	for _, name := range []string{"json_call", "search_words", "search_table", "search_branchy"} {
		b.Run(name, func(b *testing.B) {
			took := make([][]time.Duration, 3)
			var want uint64
			yields = 0
			for b.Loop() {
				for i, mod := range instances {
					f := mod.ExportedFunction(name)
					began := time.Now()
					res, err := f.Call(ctx)
					took[i] = append(took[i], time.Since(began))
					require.NoError(b, err)
					if want == 0 {
						want = res[0]
					}
					require.Equal(b, want, res[0])
				}
			}
			b.ReportMetric(0, "ns/op")
			mid := func(i int) float64 { slices.Sort(took[i]); return float64(took[i][len(took[i])/2].Nanoseconds()) / 1e3 }
			b.ReportMetric(mid(0), "plain-µs")
			b.ReportMetric(mid(1)/mid(0), "metered/plain")
			b.ReportMetric(mid(2)/mid(0), "closeOnDone/plain")
			b.ReportMetric(float64(yields)/float64(len(took[1])), "yields/call")
		})
	}
}

// buildWork builds testdata/work.
func buildWork(tb testing.TB) []byte {
	out := filepath.Join(tb.TempDir(), "work.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, "./testdata/work")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	msg, err := cmd.CombinedOutput()
	require.NoError(tb, err, fmt.Sprintf("%s", msg))
	wasm, err := os.ReadFile(out)
	require.NoError(tb, err)
	return wasm
}

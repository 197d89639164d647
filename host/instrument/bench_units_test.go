package instrument_test

import (
	"context"
	"encoding/binary"
	"math/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental"
)

// BenchmarkUnits reports what a unit of fuel buys, in nanoseconds, for code that is
// slow for what it costs. One budget must not last longer than a few milliseconds.
func BenchmarkUnits(bench *testing.B) {
	ring := pointerRing()
	for _, c := range unitCases() {
		bench.Run(c.name, func(bench *testing.B) {
			wasm := unitModule(c)
			var units int64
			var took time.Duration
			var runs, passes int
			measure := func(n int) {
				m := &meter{budget: 1 << 18}
				r := compiler.runtime(bench, m)
				_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func() {}).Export("f").Instantiate(context.Background())
				require.NoError(bench, err)
				compiled, err := r.CompileModule(context.Background(), rewritten(bench, wasm, nil))
				require.NoError(bench, err)
				ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(freshMemory))
				mod, err := r.InstantiateModule(ctx, compiled, unnamed)
				require.NoError(bench, err)
				defer mod.Close(context.Background())
				if c.fresh == 0 {
					require.True(bench, mod.Memory().Write(0, ring))
				}
				run := mod.ExportedFunction("run")
				for first := true; ; first = false { // the first is not measured, if there can be a second
					before, began := m.charged(mod), time.Now()
					_, err = run.Call(context.Background(), uint64(n))
					d := time.Since(began)
					require.NoError(bench, err)
					switch {
					case c.fresh > 0 || !first && d > 20*time.Millisecond:
						took += d
						units += m.charged(mod) - before
						passes += n
						return
					case d < 20*time.Millisecond:
						n *= 2
					}
				}
			}
			for bench.Loop() {
				measure(max(1, c.fresh))
				runs++
			}
			bench.ReportMetric(0, "ns/op")
			bench.ReportMetric(float64(took.Nanoseconds())/float64(units), "ns/unit")
			bench.ReportMetric(float64(units)/float64(20*passes), "units")
			bench.ReportMetric(float64(took.Nanoseconds())/float64(20*passes), "ns")
		})
	}
}

// pointerRing is memory in which each line of the cache holds the address of another,
// all in one ring in random order.
func pointerRing() []byte {
	const line = 64
	b := make([]byte, unitsMemory)
	order := rand.New(rand.NewSource(1)).Perm(len(b)/line - 1)
	at := 0
	for _, next := range order {
		binary.LittleEndian.PutUint32(b[at:], uint32((next+1)*line))
		at = (next + 1) * line
	}
	return b
}

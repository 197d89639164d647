package instrument_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	w "github.com/ohhost/ohhost/internal/wasmgen"
)

// longest is how many units of work may be done between two checks, whatever the
// shape of the code: some 0.1 ms. It may be done beside what a budget pays for, and
// short code behind calls may have been paid for long before, see depth.
const (
	longest = 1 << 15
	before  = 3 // times the budget
)

// depth is how deep a recursion goes: the work on the way back was not charged on the
// way down.
func (e engine) depth() int32 {
	if e.name == interpreter.name {
		return 1500 // of 2000
	}
	return 100_000
}

// tick counts n times workCost units of work, in at least that many units.
func tick(n int) []byte {
	return slices.Concat(w.Op(w.GlobalGet, 0), w.I64Const(int64(n)), []byte{0x7c}, w.Op(w.GlobalSet, 0))
}

func ticks(n int) []byte { return w.Times(n, tick(1)) }

var (
	end       = []byte{w.End}
	block     = []byte{w.Block, w.Void}
	loop      = []byte{w.Loop, w.Void}
	ifTrue    = slices.Concat(w.I32Const(1), []byte{w.If, w.Void})
	localsI32 = []w.Locals{{N: 2, Type: w.I32}}
)

// countdown goes on to label while a local, counted down from what it holds, is not
// zero.
func countdown(local, label uint32) []byte {
	return slices.Concat(w.Op(w.LocalGet, local), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.LocalTee, local), w.Op(w.BrIf, label))
}

// times runs code n times with the given local as the counter.
func times(n int32, local uint32, code ...[]byte) []byte {
	return slices.Concat(w.I32Const(n), w.Op(w.LocalSet, local), loop, slices.Concat(code...), countdown(local, 0), end)
}

// A shape is a module whose function "run" works, and counts that in global 0. Type 0
// is () -> (), type 1 (i32) -> ().
type shape struct {
	name string
	// run builds the module and returns the function to export; depth is how deep it
	// may recurse.
	run func(b *w.Builder, depth int32) uint32
	// works is how many ticks there are at least.
	works int64
}

// recursion is a function (n) that calls itself with n-1 before its other work.
func recursion(post []byte) func(b *w.Builder, depth int32) uint32 {
	return func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 0), post)
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}
}

var shapes = []shape{
	{"a long body without loops, in a loop", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(0, nil, ticks(100_000))
		return b.Func(0, localsI32, times(3, 0, w.Op(w.Call, f)))
	}, 300_000},
	{"a long body of a loop", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, localsI32, times(3, 0, ticks(100_000)))
	}, 300_000},
	{"a long body behind a loop", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, localsI32, times(3, 0, times(2, 1, tick(1)), ticks(100_000)))
	}, 300_000},
	{"long arms of ifs", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(20, ifTrue, ticks(2000), []byte{w.Else}, ticks(2000), end))
	}, 40_000},
	{"blocks left before their ends", func(b *w.Builder, depth int32) uint32 { // by which tests in them are skipped
		return b.Func(0, nil, w.Times(60, block, ticks(1000), w.I32Const(1), w.Op(w.BrIf, 0), ticks(1000), end))
	}, 60_000},
	{"loops that are never entered", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(60, block, ticks(1000), w.I32Const(1), w.Op(w.BrIf, 0), loop, end, end))
	}, 60_000},
	{"arms with loops that are not taken", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(60, ticks(1000), w.I32Const(0), []byte{w.If, w.Void}, loop, end, end))
	}, 60_000},
	{"nested loops left at once", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(100, loop), ticks(10), w.Times(100, ticks(500), end))
	}, 50_000},
	{"nested blocks", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, localsI32, times(3, 0, w.Times(4900, block), w.Times(4900, ticks(10), end)))
	}, 147_000},
	{"an outer block left from loops", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(60, block, loop, ticks(1000), w.Op(w.Br, 1), end, end))
	}, 60_000},
	{"a br_table to everywhere", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, localsI32, w.I32Const(20_000), w.Op(w.LocalSet, 0), block, loop, w.Times(200, block),
			w.Op(w.LocalGet, 0), w.I32Const(255), []byte{0x71}, switchTo(200), w.Times(200, end, tick(1)),
			countdown(0, 0), end, end)
	}, 20_000},
	{"a loop with parameters", func(b *w.Builder, depth int32) uint32 {
		t := b.Type([]byte{w.I32}, []byte{w.I32})
		return b.Func(0, localsI32, w.I32Const(50_000), []byte{w.Loop}, w.S64(int64(t)), tick(1),
			w.I32Const(-1), []byte{w.I32Add}, w.Op(w.LocalTee, 0), w.Op(w.LocalGet, 0), w.Op(w.BrIf, 0), end, []byte{w.Drop})
	}, 50_000},
	{"a loop left for the function's end", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(0, nil, loop, tick(1), w.Op(w.Br, 1), end)
		return b.Func(0, localsI32, times(50_000, 0, w.Op(w.Call, f)))
	}, 50_000},
	{"calls of leafs", func(b *w.Builder, depth int32) uint32 {
		leaf := b.Func(0, nil, ticks(10))
		return b.Func(0, nil, w.Times(10_000, w.Op(w.Call, leaf)))
	}, 100_000},
	{"calls of leafs, in a loop", func(b *w.Builder, depth int32) uint32 {
		leaf := b.Func(0, nil, ticks(10))
		return b.Func(0, localsI32, times(10_000, 0, w.Op(w.Call, leaf)))
	}, 100_000},
	{"calls of leafs through a table", func(b *w.Builder, depth int32) uint32 {
		leaf := b.Func(0, nil, ticks(14))
		b.Table(w.FuncRef, w.Limits(1))
		b.Elem(w.I32Const(0), leaf)
		return b.Func(0, nil, w.Times(10_000, w.I32Const(0), w.Op(w.CallIndirect, 0, 0)))
	}, 140_000},
	{"a call tree without loops", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(0, nil, ticks(2))
		for range 16 {
			f = b.Func(0, nil, w.Op(w.Call, f), w.Op(w.Call, f))
		}
		return f
	}, 131_072},
	{"tail calls of itself", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, tick(1), w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(0x12, 0))
		return b.Func(0, nil, w.I32Const(50_000), w.Op(w.Call, f))
	}, 50_000},
	{"tail calls through a table", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, tick(1), w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.I32Const(0), w.Op(0x13, 1, 0))
		b.Table(w.FuncRef, w.Limits(1))
		b.Elem(w.I32Const(0), f)
		return b.Func(0, nil, w.I32Const(50_000), w.Op(w.Call, f))
	}, 50_000},
	{"recursion, with work on the way back", recursion(ticks(100)), 150_000},
	{"recursion, with a little work on the way back", recursion(ticks(10)), 15_000},
	{"recursion, with very little work on the way back", recursion(ticks(8)), 12_000},
	{"recursion, with next to no work on the way back", recursion(ticks(2)), 3000},
	{"recursion in an arm of an if, with work behind it", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.If, w.Void},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 0), end, ticks(100))
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 150_000},
	{"recursion in an arm that is left from a block in it, with work behind it", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.If, w.Void}, block,
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 0), w.Op(w.Br, 1), end, end, ticks(100))
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 150_000},
	{"recursion in a block, with work behind it", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, block, w.Op(w.LocalGet, 0), []byte{w.I32Eqz}, w.Op(w.BrIf, 0),
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 0), end, ticks(100))
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 150_000},
	{"recursion in a block that nobody leaves, with work behind it", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End}, block,
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 0), end, ticks(100))
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 150_000},
	{"calls of a recursion, with work between them", func(b *w.Builder, depth int32) uint32 {
		leaf := b.Func(0, nil, tick(1))
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.Call, 1), w.Times(20, tick(1), w.Op(w.Call, leaf)))
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 50_000},
	{"recursion through a table, with work on the way back", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void, w.Return, w.End},
			w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.I32Const(0), w.Op(w.CallIndirect, 1, 0), ticks(100))
		b.Table(w.FuncRef, w.Limits(1))
		b.Elem(w.I32Const(0), f)
		return b.Func(0, nil, w.I32Const(depth), w.Op(w.Call, f))
	}, 150_000},
	{"a chain of functions, with work on the way back", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(0, nil, tick(1))
		for range 1500 {
			f = b.Func(0, nil, w.Op(w.Call, f), ticks(50))
		}
		return f
	}, 75_000},
	{"fills of a piece", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(500, w.I32Const(0), w.I32Const(7), w.I32Const(65536), []byte{0xfc, 11, 0}, tick(65536/8/workCost)))
	}, 500 * 65536 / 8 / workCost},
	{"small fills", func(b *w.Builder, depth int32) uint32 {
		return b.Func(0, nil, w.Times(10_000, w.I32Const(0), w.I32Const(7), w.I32Const(256), []byte{0xfc, 11, 0}, tick(256/16/workCost)))
	}, 10_000 * 256 / 16 / workCost},
	{"fills in a leaf", func(b *w.Builder, depth int32) uint32 {
		f := b.Func(0, nil, w.I32Const(0), w.I32Const(7), w.I32Const(65536), []byte{0xfc, 11, 0}, tick(65536/8/workCost))
		return b.Func(0, localsI32, times(500, 0, w.Op(w.Call, f)))
	}, 500 * 65536 / 8 / workCost},
	{"fills of a table", func(b *w.Builder, depth int32) uint32 {
		b.Table(w.ExternRef, w.Limits(20_000))
		fill := slices.Concat(w.I32Const(0), []byte{0xd0, w.ExternRef}, w.I32Const(20_000), []byte{0xfc, 17, 0}, tick(20_000/workCost))
		return b.Func(0, localsI32, times(20, 0, fill))
	}, 20 * 20_000 / workCost},
}

// switchTo is a br_table to n labels, the last of which is the default.
func switchTo(n uint32) []byte {
	code := append([]byte{w.BrTable}, w.U32(n-1)...)
	for i := range n {
		code = append(code, w.U32(i)...)
	}
	return code
}

// TestR1NoWorkUncharged runs code of shapes that are made to slip through the checks,
// with a budget that makes every check yield, and with one that lasts for a while. At
// each of them all work so far must have been charged, and between two of them there
// must not have been much more than was paid for.
func TestR1NoWorkUncharged(t *testing.T) {
	for _, e := range engines() {
		for _, s := range shapes {
			t.Run(e.name+"/"+s.name, func(t *testing.T) {
				b := w.New()
				b.Type(nil, nil)
				b.Type([]byte{w.I32}, nil)
				b.Memory(w.Limits(2))
				b.Global(w.I64, true, w.I64Const(0))
				b.Export("work", w.KindGlobal, 0)
				b.Export("run", w.KindFunc, s.run(b, e.depth()))
				for _, budget := range []int64{0, 1 << 14} {
					m := &meter{budget: budget}
					mod := metered(t, e, m, b.Bytes())
					work := mod.ExportedGlobal("work")
					var last, most int64
					look := func() {
						now := workCost * int64(work.Get())
						most, last = max(most, now-last), now
					}
					m.onYield = func(api.Module, int64) {
						look()
						require.GreaterOrEqual(t, m.units, last)
					}
					_, err := mod.ExportedFunction("run").Call(context.Background())
					require.NoError(t, err)
					look()
					require.GreaterOrEqual(t, last, workCost*s.works)
					require.GreaterOrEqual(t, m.charged(mod), last)
					require.LessOrEqual(t, most, before*budget+longest, "work between two checks")
				}
			})
		}
	}
}

// TestR1WayBack returns from recursions that are a million calls deep. That alone
// takes some 20 ms, with nothing done on the way: it must be charged and tested, too.
func TestR1WayBack(t *testing.T) {
	if raced {
		t.Skip("the interpreter's stack is not deep")
	}
	const depth = 1 << 20
	deeper := slices.Concat(w.Op(w.LocalGet, 0), w.I32Const(-1), []byte{w.I32Add})
	for name, call := range map[string][]byte{
		"direct":             slices.Concat(deeper, w.Op(w.Call, 0)),
		"through a table":    slices.Concat(deeper, w.I32Const(0), w.Op(w.CallIndirect, 1, 0)),
		"a little work":      slices.Concat(deeper, w.Op(w.Call, 0), tick(1)),
		"left by a return":   slices.Concat(deeper, w.Op(w.Call, 0), []byte{w.Return}),
		"left by a branch":   slices.Concat(deeper, w.Op(w.Call, 0), w.Op(w.Br, 0)),
		"from within blocks": slices.Concat(block, ifTrue, deeper, w.Op(w.Call, 0), end, end),
	} {
		t.Run(name, func(t *testing.T) {
			b := w.New()
			b.Type(nil, nil)
			b.Type([]byte{w.I32}, nil)
			b.Global(w.I64, true, w.I64Const(0))
			f := b.Func(1, nil, w.Op(w.LocalGet, 0), []byte{w.I32Eqz, w.If, w.Void}, tick(1), []byte{w.Return, w.End}, call)
			b.Table(w.FuncRef, w.Limits(1))
			b.Elem(w.I32Const(0), f)
			b.Export("work", w.KindGlobal, 0)
			b.Export("run", w.KindFunc, f)

			back := 0
			m := &meter{budget: 1 << 12}
			mod := metered(t, compiler, m, b.Bytes())
			work := mod.ExportedGlobal("work")
			m.onYield = func(api.Module, int64) {
				if work.Get() != 0 {
					back++
				}
			}
			_, err := mod.ExportedFunction("run").Call(context.Background(), depth)
			require.NoError(t, err)
			require.GreaterOrEqual(t, back, depth>>12, "tests on the way back")
		})
	}
}

// TestR1CallsBack has a host function call the guest again: what that is charged must
// not be lost when it returns to code that keeps the budget for itself.
func TestR1CallsBack(t *testing.T) {
	for _, e := range engines() {
		b := w.New()
		b.Type(nil, nil)
		host := b.Import("env", "again", w.KindFunc, w.U32(0))
		b.Global(w.I64, true, w.I64Const(0))
		b.Export("work", w.KindGlobal, 0)
		b.Export("inner", w.KindFunc, b.Func(0, nil, ticks(1000)))
		b.Export("run", w.KindFunc, b.Func(0, localsI32, times(100, 0, w.Op(w.Call, host))))

		m := &meter{budget: 1 << 30}
		r := e.runtime(t, m)
		_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func(ctx context.Context, mod api.Module) {
			_, err := mod.ExportedFunction("inner").Call(ctx)
			require.NoError(t, err)
		}).Export("again").Instantiate(context.Background())
		require.NoError(t, err)
		mod := instantiate(t, r, rewritten(t, b.Bytes(), nil))
		_, err = mod.ExportedFunction("run").Call(context.Background())
		require.NoError(t, err)
		work := workCost * int64(mod.ExportedGlobal("work").Get())
		require.EqualValues(t, workCost*100*1000, work)
		require.GreaterOrEqual(t, m.charged(mod), work)
		require.Less(t, m.charged(mod), 2*work)
	}
}

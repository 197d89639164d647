package instrument_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ohhost/ohhost/host/instrument"
	w "github.com/ohhost/ohhost/internal/wasmgen"
)

// freezable has a memory, data and globals of all types of numbers, and start-up code
// that changes them all and grows the memory. "sum" reads them.
func freezable(b *w.Builder) {
	i64 := b.Type(nil, []byte{w.I64})
	b.Memory(w.LimitsTo(3, 9))
	b.Table(w.FuncRef, w.Limits(2))
	b.Export("memory", w.KindMemory, 0)
	b.Data(w.I32Const(8), []byte{1, 2, 3, 4})
	b.Data(w.I32Const(10), []byte{30}) // over the first
	b.Global(w.I32, true, w.I32Const(-5))
	b.Global(w.I64, false, w.I64Const(1<<40))
	b.Global(w.I64, true, w.I64Const(-1<<62))
	b.Global(w.F32, true, []byte{0x43, 1, 0, 0xa0, 0x7f}) // a signalling NaN
	b.Global(w.F64, true, zeroOf(w.F64))
	b.Global(w.FuncRef, false, []byte{0xd2, 0})
	init := b.Func(0, nil,
		w.I32Const(2), []byte{0x40, 0, w.Drop}, // memory.grow
		w.I32Const(2<<16), w.Op(w.GlobalGet, 0), []byte{w.I32Store, 2, 0},
		w.Op(w.GlobalGet, 0), w.I32Const(-1), []byte{w.I32Add}, w.Op(w.GlobalSet, 0),
		w.Op(w.GlobalGet, 2), w.I64Const(3), []byte{0x7c}, w.Op(w.GlobalSet, 2),
		[]byte{0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, w.Op(w.GlobalSet, 4),
	)
	b.Export("_initialize", w.KindFunc, init)
	b.Elem(w.I32Const(0), init)
	mix := []byte{0x42, 31, 0x7e, 0x85} // times 31, xor
	b.Export("sum", w.KindFunc, b.Func(i64, nil,
		w.Op(w.GlobalGet, 0), []byte{0xac}, w.Op(w.GlobalGet, 2), mix, w.Op(w.GlobalGet, 3), []byte{0xbc, 0xad}, mix, w.Op(w.GlobalGet, 4), []byte{0xbd}, mix,
		w.I32Const(2<<16), []byte{0x35, 2, 0}, mix, w.I32Const(8), []byte{0x35, 2, 0}, mix, []byte{0x3f, 0, 0xac}, mix))
}

// TestFreeze runs start-up code once, takes down the state as a host does, and begins
// another instance with it.
func TestFreeze(t *testing.T) {
	wasm := built(freezable)
	m, err := instrument.Parse(wasm, nil)
	require.NoError(t, err)
	require.NoError(t, m.Freezable())
	require.True(t, m.HasInitialize())
	segments, err := m.Segments()
	require.NoError(t, err)
	require.Equal(t, []instrument.Segment{{Offset: 8, Bytes: []byte{1, 2, 3, 4}}, {Offset: 10, Bytes: []byte{30}}}, segments)
	names := m.FrozenGlobals()
	require.Equal(t, []string{"ohhost_meter.global0", "ohhost_meter.global2", "ohhost_meter.global3", "ohhost_meter.global4"}, names)
	frozen, err := m.Rewrite(&instrument.Plan{Frozen: true})
	require.NoError(t, err)

	ctx := context.Background()
	call := func(mod api.Module, name string) []uint64 {
		res, err := mod.ExportedFunction(name).Call(ctx)
		require.NoError(t, err)
		return res
	}
	for _, e := range engines() {
		plain := instantiate(t, e.runtime(t, nil), wasm)
		before := call(plain, "sum")
		call(plain, "_initialize")
		want := call(plain, "sum")
		require.NotEqual(t, before, want)

		first := instantiate(t, e.runtime(t, &meter{}), frozen)
		require.Equal(t, make([]byte, 3<<16), memoryOf(first), "it has no data of its own")
		for _, s := range segments {
			require.True(t, first.Memory().Write(s.Offset, s.Bytes))
		}
		require.Equal(t, before, call(first, "sum"))
		call(first, "_initialize")
		require.Equal(t, want, call(first, "sum"))

		second := instantiate(t, e.runtime(t, &meter{}), frozen)
		_, ok := second.Memory().Grow(2)
		require.True(t, ok)
		require.True(t, second.Memory().Write(0, memoryOf(first)))
		for _, name := range names {
			second.ExportedGlobal(name).(api.MutableGlobal).Set(first.ExportedGlobal(name).Get())
		}
		require.Equal(t, want, call(second, "sum"))
		require.Nil(t, second.ExportedGlobal("ohhost_meter.global1"), "it cannot change")
	}
}

// TestNotFreezable has what start-up code could change without a way back.
func TestNotFreezable(t *testing.T) {
	const fixed = "it has a data segment whose place is not fixed"
	tests := []struct {
		name, want string
		build      func(b *w.Builder)
	}{
		{"no memory", "it does not have everything but functions for itself", func(b *w.Builder) {}},
		{"imported memory", "it does not have everything but functions for itself", func(b *w.Builder) {
			b.Import("a", "b", w.KindMemory, w.Limits(1))
		}},
		{"imported table", "it does not have everything but functions for itself", func(b *w.Builder) {
			b.Import("a", "b", w.KindTable, slices.Concat([]byte{w.FuncRef}, w.Limits(1)))
			b.Memory(w.Limits(1))
		}},
		{"imported global", "it does not have everything but functions for itself", func(b *w.Builder) {
			b.Import("a", "b", w.KindGlobal, w.GlobalType(w.I32, false))
			b.Memory(w.Limits(1))
		}},
		{"start function", "it has a start function", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Start(b.Func(0, nil))
		}},
		{"global of type v128", "it has a mutable global that is not a number", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Global(w.V128, true, zeroOf(w.V128))
		}},
		{"global of type funcref", "it has a mutable global that is not a number", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Global(w.FuncRef, true, zeroOf(w.FuncRef))
		}},
		{"global of type externref", "it has a mutable global that is not a number", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Global(w.ExternRef, true, zeroOf(w.ExternRef))
		}},
		{"passive data", fixed, func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Repeat(w.SectionData, 1, []byte{1, 0})
		}},
		{"computed place", fixed, func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Data(slices.Concat(w.I32Const(1), w.I32Const(1), []byte{w.I32Add}), []byte("x"))
		}},
		{"data outside", "it has a data segment outside of its memory", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Data(w.I32Const(65535), []byte("xy"))
		}},
		{"data far outside", "it has a data segment outside of its memory", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Data(w.I32Const(-1), []byte("xy"))
		}},
	}
	zeros := slices.Repeat(w.I32Const(0), 3)
	for name, code := range map[string][]byte{
		"table.set":  slices.Concat(w.I32Const(0), []byte{0xd0, w.FuncRef, 0x26, 0}),
		"table.init": slices.Concat(zeros, []byte{0xfc, 12, 0, 0}),
		"table.copy": slices.Concat(zeros, []byte{0xfc, 14, 0, 0}),
		"table.grow": {0xd0, w.FuncRef, 0x41, 0, 0xfc, 15, 0, w.Drop},
		"table.fill": {0x41, 0, 0xd0, w.FuncRef, 0x41, 0, 0xfc, 17, 0},
	} {
		tests = append(tests, struct {
			name, want string
			build      func(b *w.Builder)
		}{name, "its code changes tables", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Table(w.FuncRef, w.Limits(1))
			b.Repeat(w.SectionElem, 1, []byte{1, 0, 0})
			b.Func(0, nil, code)
		}})
	}
	for name, code := range map[string][]byte{"memory.init": slices.Concat(zeros, []byte{0xfc, 8, 0, 0}), "data.drop": {0xfc, 9, 0}} {
		tests = append(tests, struct {
			name, want string
			build      func(b *w.Builder)
		}{name, "its code uses data segments", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.DataCount(1)
			b.Data(w.I32Const(0), []byte("x"))
			b.Func(0, nil, code)
		}})
	}
	r := interpreter.runtime(t, nil)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			wasm := built(c.build)
			require.NoError(t, compile(r, wasm))
			m, err := instrument.Parse(wasm, nil)
			require.NoError(t, err)
			require.EqualError(t, m.Freezable(), c.want)
			_, err = m.Rewrite(&instrument.Plan{Frozen: true})
			require.EqualError(t, err, "the module cannot be frozen: "+c.want)
		})
	}
}

// TestModule asks a module what it has.
func TestModule(t *testing.T) {
	wasm := built(func(b *w.Builder) {
		b.Import("env", "f", w.KindFunc, w.U32(0))
		b.Import("env", "t", w.KindTable, slices.Concat([]byte{w.FuncRef}, w.Limits(1)))
		b.Import("env", "m", w.KindMemory, w.Limits(1))
		b.Import("", "g", w.KindGlobal, w.GlobalType(w.I32, false))
		b.Start(0)
		for i, kind := range []byte{w.KindFunc, w.KindTable, w.KindMemory, w.KindGlobal} {
			b.Export([]string{"_initialize", "b", "c", ""}[i], kind, 0)
		}
	})
	m, err := instrument.Parse(wasm, nil)
	require.NoError(t, err)
	require.True(t, m.HasStart())
	require.True(t, m.HasInitialize())
	require.Equal(t, []instrument.Import{
		{Module: "env", Name: "f", Kind: "function"}, {Module: "env", Name: "t", Kind: "table"},
		{Module: "env", Name: "m", Kind: "memory"}, {Module: "", Name: "g", Kind: "global"},
	}, m.Imports())
	require.Equal(t, []instrument.Export{
		{Name: "_initialize", Kind: "function"}, {Name: "b", Kind: "table"}, {Name: "c", Kind: "memory"}, {Name: "", Kind: "global"},
	}, m.Exports())

	m, err = instrument.Parse(built(func(b *w.Builder) {
		b.Memory(w.Limits(1))
		b.Export("_initialize", w.KindMemory, 0)
	}), nil)
	require.NoError(t, err)
	require.False(t, m.HasStart())
	require.False(t, m.HasInitialize())
}

// TestNamesInStacks has a fault name the functions of the original.
func TestNamesInStacks(t *testing.T) {
	wasm := built(func(b *w.Builder) {
		b.Import(wasi, "fd_read", w.KindFunc, w.U32(b.Type([]byte{w.I32, w.I32, w.I32, w.I32}, []byte{w.I32})))
		inner := b.Func(0, nil, []byte{w.Unreachable})
		b.Export("f", w.KindFunc, b.Func(0, nil, w.Op(w.Call, inner)))
		names := slices.Concat([]byte{3}, w.U32(0), w.Name("read"), w.U32(1), w.Name("inner"), w.U32(2), w.Name("outer"))
		b.Custom("name", slices.Concat([]byte{1}, w.U32(uint32(len(names))), names))
	})
	r := (&fakeWASI{}).runtime(t, interpreter, &meter{})
	mod, err := r.InstantiateWithConfig(context.Background(), rewritten(t, wasm, nil), wazero.NewModuleConfig())
	require.NoError(t, err)
	_, err = mod.ExportedFunction("f").Call(context.Background())
	require.EqualError(t, err, "wasm error: unreachable\nwasm stack trace:\n\t.inner()\n\t.outer()")
}

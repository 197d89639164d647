package instrument_test

import (
	"slices"

	w "github.com/ohhost/ohhost/internal/wasmgen"
)

// Locals of the code that is measured, and the size of its memory.
const (
	lCount, lI32, lI64, lF32, lF64, lV128 = 0, 1, 2, 3, 4, 5
	unitsMemory                           = 64 << 20
	unitLeaf                              = 1 // the function; 0 is the host's
)

// A unitCase is code that runs 20 times in each pass of a loop.
type unitCase struct {
	name string
	code []byte
	more func(b *w.Builder) []byte // builds what the code calls and returns the code
	// fresh is code that cannot be run twice in one instance; it runs so many passes.
	fresh int
}

func get(l uint32) []byte { return w.Op(w.LocalGet, l) }
func set(l uint32) []byte { return w.Op(w.LocalSet, l) }

// chain is an instruction whose result is its next operand; the other is a constant.
func chain(l uint32, constant []byte, op ...byte) []byte {
	return slices.Concat(get(l), constant, op, set(l))
}

// random steps a generator in the local of type i32.
var random = slices.Concat(get(lI32), w.I32Const(1664525), []byte{w.I32Mul}, w.I32Const(1013904223), []byte{w.I32Add}, set(lI32))

func somewhere(mask int32) []byte {
	return slices.Concat(random, get(lI32), w.I32Const(6), []byte{0x76}, w.I32Const(mask), []byte{0x71})
}

func unitCases() []unitCase {
	const place = unitsMemory - 1 - 15
	f64 := func(b byte) []byte { return []byte{0x44, 0, 0, 0, 0, 0, 0, b, 0x3f} }
	vector := func(op ...byte) []byte { return slices.Concat(get(lV128), []byte{0xfd}, op, set(lV128)) }
	vector2 := func(op ...byte) []byte { return slices.Concat(get(lV128), get(lV128), []byte{0xfd}, op, set(lV128)) }
	long := func(n uint32) []byte { return w.U32(n) }
	many := slices.Repeat([]byte{w.I32}, 128)
	return []unitCase{
		{name: "nothing"},
		{name: "nop", code: w.Times(10, []byte{w.Nop})},
		{name: "i32.add", code: chain(lI32, w.I32Const(77), w.I32Add)},
		{name: "i64.mul", code: chain(lI64, w.I64Const(77), 0x7e)},
		{name: "i32.div_u", code: slices.Concat(chain(lI32, w.I32Const(-1), 0x72), get(lCount), get(lI32), []byte{0x6e}, set(lI32))},
		{name: "i64.div_s", code: slices.Concat(w.I64Const(-1<<62), get(lCount), []byte{0xac, 0x7f}, get(lI64), []byte{0x7c}, set(lI64))},
		{name: "i64.rem_u", code: slices.Concat(w.I64Const(-1), get(lI64), w.I64Const(1), []byte{0x84, 0x82}, set(lI64))},
		{name: "i64.popcnt", code: chain(lI64, nil, 0x7b)},
		{name: "i64.clz", code: chain(lI64, nil, 0x79)},
		{name: "i64.rotl", code: chain(lI64, w.I64Const(9), 0x89)},
		{name: "f64.add", code: chain(lF64, f64(0xe0), 0xa0)},
		{name: "f64.div", code: chain(lF64, f64(0xf1), 0xa3)},
		{name: "f64.sqrt", code: chain(lF64, nil, 0x9f)},
		{name: "f64.min", code: chain(lF64, f64(0xe0), 0xa4)},
		{name: "f64.nearest", code: chain(lF64, nil, 0x9e)},
		{name: "f64.copysign", code: chain(lF64, f64(0xe0), 0xa6)},
		{name: "i64.trunc_sat_f64_u", code: slices.Concat(get(lF64), []byte{0xfc, 7, 0xba}, set(lF64))},
		{name: "f64.convert_i64_u", code: slices.Concat(get(lI64), []byte{0xba, 0xbd}, set(lI64))},
		{name: "select", code: slices.Concat(get(lI32), w.I32Const(3), get(lI32), []byte{w.Select}, set(lI32))},
		{name: "global", code: slices.Concat(w.Op(w.GlobalGet, 1), w.I32Const(1), []byte{w.I32Add}, w.Op(w.GlobalSet, 1))},
		{name: "branch, guessed wrongly", code: slices.Concat(block, random, get(lI32), []byte{0x41, 31, 0x76}, w.Op(w.BrIf, 0), get(lI64), w.I64Const(3), []byte{0x7c}, set(lI64), end)},
		{name: "br_table, guessed wrongly", code: slices.Concat(w.Times(16, block), somewhere(15), switchTo(16), w.Times(16, end))},
		{name: "load, one place", code: slices.Concat(w.I32Const(64), []byte{0x28, 2, 0}, set(lI32))},
		{name: "load, a chain of misses", code: slices.Concat(get(lI32), []byte{0x28, 2, 0}, set(lI32))},
		{name: "load, misses", code: slices.Concat(somewhere(place), []byte{0x2d, 0, 0}, get(lI32), []byte{w.I32Add}, set(lI32))},
		{name: "load, misses on two pages", code: slices.Concat(somewhere(place/2&^4095), []byte{0x29, 0, 0xfc, 0x1f}, get(lI64), []byte{0x7c}, set(lI64))},
		{name: "store, misses", code: slices.Concat(somewhere(place), get(lI32), []byte{w.I32Store, 0, 0})},
		{name: "store, pages for the first time", fresh: unitsMemory / 4096 / 20, code: slices.Concat(get(lI32), get(lI32), []byte{w.I32Store, 0, 0}, chain(lI32, w.I32Const(4096), w.I32Add))},
		{name: "v128.load, misses", code: slices.Concat(somewhere(place), []byte{0xfd, 0, 0, 0}, get(lV128), []byte{0xfd, 81}, set(lV128), get(lV128), []byte{0xfd, 27, 0}, get(lI32), []byte{w.I32Add}, set(lI32))},
		{name: "v128.load8_lane, misses", code: slices.Concat(somewhere(place), get(lV128), []byte{0xfd, 84, 0, 0, 3}, set(lV128))},
		{name: "i8x16.swizzle", code: vector2(14)},
		{name: "i8x16.shuffle", code: vector2(13, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31)},
		{name: "i8x16.popcnt", code: vector(98)},
		{name: "i8x16.shl", code: slices.Concat(get(lV128), get(lI32), []byte{0xfd, 107}, set(lV128))},
		{name: "i64x2.mul", code: vector2(long(213)...)},
		{name: "i64x2.shr_s", code: slices.Concat(get(lV128), get(lI32), []byte{0xfd}, long(204), set(lV128))},
		{name: "i16x8.extmul", code: vector2(long(156)...)},
		{name: "f64x2.div", code: vector2(long(243)...)},
		{name: "f32x4.sqrt", code: vector(long(227)...)},
		{name: "f64x2.min", code: vector2(long(244)...)},
		{name: "i32x4.trunc_sat_f32x4_u", code: vector(long(249)...)},
		{name: "i32x4.trunc_sat_f64x2_s_zero", code: vector(long(252)...)},
		{name: "f32x4.convert_i32x4_u", code: vector(long(251)...)},
		{name: "f64x2.nearest", code: vector(long(148)...)},
		{name: "i8x16.bitmask", code: slices.Concat(get(lV128), []byte{0xfd, 100}, set(lI32))},
		{name: "memory.size", code: slices.Concat([]byte{0x3f, 0}, set(lI32))},
		{name: "memory.grow by 0", code: slices.Concat(w.I32Const(0), []byte{0x40, 0}, set(lI32))},
		{name: "table.get", code: slices.Concat(somewhere(1023), []byte{0x25, 0, w.Drop})},
		{name: "table.set", code: slices.Concat(somewhere(511), w.Op(0xd2, unitLeaf), []byte{0x26, 1})},
		{name: "table.size", code: slices.Concat([]byte{0xfc, 16, 0}, set(lI32))},
		{name: "ref.func", code: slices.Concat(w.Op(0xd2, unitLeaf), []byte{0xd1}, set(lI32))},
		{name: "call of a leaf", code: w.Op(w.Call, unitLeaf)},
		{name: "call of the host", code: w.Op(w.Call, 0)},
		{name: "call", more: func(b *w.Builder) []byte {
			leaf := b.Func(0, nil, w.Op(w.Call, unitLeaf), w.Op(w.Call, unitLeaf))
			return w.Op(w.Call, leaf)
		}},
		{name: "call_indirect of a leaf", code: slices.Concat(somewhere(1023), w.Op(w.CallIndirect, 0, 0))},
		{name: "call_indirect of the host", code: slices.Concat(w.I32Const(1024), w.Op(w.CallIndirect, 0, 0))},
		{name: "recursion", more: func(b *w.Builder) []byte {
			t := b.Type([]byte{w.I32}, []byte{w.I32})
			b.Func(t, nil, get(0), []byte{w.I32Eqz, w.If, w.Void}, w.I32Const(1), []byte{w.Return, w.End}, get(0), w.I32Const(1), []byte{0x6b}, w.Op(w.Call, unitLeaf+1))
			return slices.Concat(w.I32Const(1000), w.Op(w.Call, unitLeaf+1), set(lI32))
		}},
		{name: "deep recursion", more: func(b *w.Builder) []byte {
			t := b.Type([]byte{w.I32}, []byte{w.I32})
			b.Func(t, nil, get(0), []byte{w.I32Eqz, w.If, w.Void}, w.I32Const(1), []byte{w.Return, w.End}, get(0), w.I32Const(1), []byte{0x6b}, w.Op(w.Call, unitLeaf+1))
			return slices.Concat(w.I32Const(1_000_000), w.Op(w.Call, unitLeaf+1), set(lI32))
		}, fresh: 1},
		{name: "memory.fill of 256", code: slices.Concat(somewhere(unitsMemory/2), w.I32Const(1), w.I32Const(256), []byte{0xfc, 11, 0})},
		{name: "memory.fill of 4096, pages for the first time", fresh: unitsMemory / 4096 / 20, code: slices.Concat(get(lI32), w.I32Const(1), w.I32Const(4096), []byte{0xfc, 11, 0}, chain(lI32, w.I32Const(4096), w.I32Add))},
		{name: "memory.fill of 256, pages for the first time", fresh: unitsMemory / 4096 / 20, code: slices.Concat(get(lI32), w.I32Const(1), w.I32Const(256), []byte{0xfc, 11, 0}, chain(lI32, w.I32Const(4096), w.I32Add))},
		{name: "memory.copy of 256", code: slices.Concat(somewhere(unitsMemory/2), somewhere(unitsMemory/2), w.I32Const(256), []byte{0xfc, 10, 0, 0})},
		{name: "memory.copy of 64 KiB", code: slices.Concat(somewhere(unitsMemory/2), somewhere(unitsMemory/2), w.I32Const(1<<16), []byte{0xfc, 10, 0, 0})},
		{name: "memory.copy of 16 MiB", code: slices.Concat(w.I32Const(0), w.I32Const(16<<20), w.I32Const(16<<20), []byte{0xfc, 10, 0, 0})},
		{name: "memory.fill of 0", code: slices.Concat(w.I32Const(0), w.I32Const(1), w.I32Const(0), []byte{0xfc, 11, 0})},
		{name: "table.fill of 100 000", code: slices.Concat(w.I32Const(0), []byte{0xd0, w.ExternRef}, w.I32Const(100_000), []byte{0xfc, 17, 2})},
		{name: "table.copy of 100 000", code: slices.Concat(w.I32Const(0), w.I32Const(1), w.I32Const(100_000), []byte{0xfc, 14, 2, 2})},
		{name: "table.grow by 0", code: slices.Concat([]byte{0xd0, w.ExternRef}, w.I32Const(0), []byte{0xfc, 15, 2}, set(lI32))},
		{name: "table.grow by 100", code: slices.Concat([]byte{0xd0, w.ExternRef}, w.I32Const(100), []byte{0xfc, 15, 2}, set(lI32)), fresh: 50},
		{name: "table.fill of 0", code: slices.Concat(w.I32Const(0), []byte{0xd0, w.ExternRef}, w.I32Const(0), []byte{0xfc, 17, 2})},
		{name: "data.drop", code: []byte{0xfc, 9, 0}},
		{name: "a block with 128 results", more: func(b *w.Builder) []byte {
			t := b.Type(nil, many)
			var code []byte
			code = append(code, slices.Concat([]byte{w.Block}, w.S64(int64(t)), w.Times(1001, get(lI32)), get(lI32), w.Op(w.BrIf, 0), []byte{w.Drop}, w.Op(w.Br, 0), end)...)
			return append(code, w.Times(128, set(lI32))...)
		}},
		{name: "branches with 127 values", more: func(b *w.Builder) []byte {
			t := b.Type(many, many[1:])
			one := slices.Concat(get(lCount), []byte{w.Block}, w.S64(int64(t)), get(lCount), w.Op(w.BrIf, 0), []byte{w.Drop}, w.Op(w.Br, 0), end)
			var different []byte
			for i := range int32(127) {
				different = append(different, slices.Concat(get(lI32), w.I32Const(i), []byte{w.I32Add})...)
			}
			return slices.Concat(different, w.Times(20, one), w.Times(127, get(lI32), []byte{w.I32Add, 0x41, 3, 0x73}, set(lI32)))
		}},
		{name: "calls that return 128 values", more: func(b *w.Builder) []byte {
			t := b.Type(nil, many)
			f := b.Func(t, nil, w.Times(128, w.I32Const(1)))
			for range 20 {
				f = b.Func(t, nil, w.Op(w.Call, f))
			}
			return slices.Concat(w.Op(w.Call, f), w.Times(128, []byte{w.Drop}))
		}},
		{name: "calls with 128 parameters", more: func(b *w.Builder) []byte {
			t := b.Type(many, nil)
			f := b.Func(t, nil)
			return slices.Concat(w.Times(128, get(lI32)), w.Op(w.Call, f))
		}},
		{name: "calls with 128 parameters and results", more: func(b *w.Builder) []byte {
			t := b.Type(many, many)
			var all []byte
			for l := range uint32(128) {
				all = append(all, get(l)...)
			}
			f := b.Func(t, nil, all)
			return slices.Concat(w.Times(128, get(lI32)), w.Times(20, w.Op(w.Call, f)), w.Times(128, []byte{w.Drop}))
		}},
	}
}

// unitModule exports run(n), which runs the code of a case 20*n times. Type 0 is
// () -> ().
func unitModule(c unitCase) []byte {
	b := w.New()
	b.Type(nil, nil)
	run := b.Type([]byte{w.I32}, nil)
	b.Import("env", "f", w.KindFunc, w.U32(0))
	b.Global(w.I32, true, w.I32Const(0))
	b.Global(w.I32, true, w.I32Const(0))
	b.Table(w.FuncRef, w.Limits(1025))
	b.Table(w.FuncRef, w.Limits(1025))
	b.Table(w.ExternRef, w.Limits(100_001))
	b.Memory(w.LimitsTo(unitsMemory>>16, unitsMemory>>16))
	b.Export("memory", w.KindMemory, 0)
	b.Elem(w.I32Const(0), append(slices.Repeat([]uint32{unitLeaf}, 1024), 0)...)
	b.DataCount(1)
	b.Repeat(w.SectionData, 1, []byte{1, 0})
	b.Func(0, nil, w.Op(w.GlobalGet, 1), w.I32Const(1), []byte{w.I32Add}, w.Op(w.GlobalSet, 1))
	code := c.code
	if c.more != nil {
		code = c.more(b)
	}
	b.Export("run", w.KindFunc, b.Func(run,
		[]w.Locals{{N: 1, Type: w.I32}, {N: 1, Type: w.I64}, {N: 1, Type: w.F32}, {N: 1, Type: w.F64}, {N: 1, Type: w.V128}},
		w.I64Const(0x123456789abcdef), set(lI64), []byte{0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, set(lF64),
		loop, w.Times(20, code), countdown(lCount, 0), end))
	return b.Bytes()
}

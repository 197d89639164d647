package instrument_test

import (
	"slices"

	"github.com/ohhost/ohhost/internal/wasmgen"
)

// statement emits code that leaves the stack as it is, or never gets there.
func (g *gen) statement(depth int) {
	g.op(wasmgen.GlobalGet, globalWork)
	g.emit(wasmgen.I64Const(1), []byte{0x7c})
	g.op(wasmgen.GlobalSet, globalWork)
	if g.left--; g.left < 0 {
		return
	}
	if depth > 0 && g.n(3) == 0 {
		g.nested(depth)
		return
	}
	switch g.n(16) {
	case 0:
		t := g.someType()
		g.expr(t, 3)
		g.op(wasmgen.LocalSet, g.local(t))
	case 1:
		k := g.n(len(valueTypes))
		g.expr(valueTypes[k], 3)
		g.op(wasmgen.GlobalSet, uint32(k))
	case 2:
		g.store()
	case 3:
		t := g.someType()
		g.expr(t, 3)
		g.op(wasmgen.Drop)
	case 4: // br_if
		l := g.n(len(g.labels))
		types := g.labels[len(g.labels)-1-l]
		g.values(types)
		g.expr(wasmgen.I32, 2)
		g.op(wasmgen.BrIf, uint32(l))
		g.consume(types)
	case 5, 6:
		g.jump()
	case 7:
		f := g.n(len(g.functions))
		t := g.types[g.functions[f]]
		g.step()
		g.values(t.params)
		g.op(wasmgen.Call, uint32(f))
		g.consume(t.results)
	case 8:
		typ := g.functions[g.n(len(g.functions))]
		g.step()
		g.values(g.types[typ].params)
		g.index()
		g.op(wasmgen.CallIndirect, typ, uint32(2*g.n(2)))
		g.consume(g.types[typ].results)
	case 9, 10:
		g.bulk()
	case 11, 12:
		g.table()
	case 13:
		g.expr(wasmgen.I32, 1)
		g.emit([]byte{0x40, 0, wasmgen.Drop}) // memory.grow
	case 14:
		g.op(wasmgen.Nop)
	case 15:
		if g.n(4) == 0 {
			g.op(wasmgen.Unreachable)
		}
	}
}

func (g *gen) someType() byte { return valueTypes[g.n(len(valueTypes))] }

// nested emits a block with values in and out.
func (g *gen) nested(depth int) {
	s := sig{}
	if g.n(2) == 0 {
		s = sig{g.someTypes(2), g.someTypes(2)}
	}
	switch g.n(4) {
	case 0:
		g.values(s.params)
		g.block(wasmgen.Block, s, depth, false)
	case 1, 2:
		g.values(s.params)
		g.block(wasmgen.Loop, s, depth, false)
	case 3:
		both := g.n(2) == 0
		if !both {
			s.results = s.params
		}
		g.values(s.params)
		g.expr(wasmgen.I32, 2)
		g.block(wasmgen.If, s, depth, both)
	}
	g.consume(s.results)
}

// jump emits what does not go on behind it.
func (g *gen) jump() {
	switch g.n(6) {
	case 0:
		l := g.n(len(g.labels))
		g.values(g.labels[len(g.labels)-1-l])
		g.op(wasmgen.Br, uint32(l))
	case 1:
		g.values(g.ft.results)
		g.op(wasmgen.Return)
	case 2, 3: // br_table to all labels that take the same
		types := g.labels[g.n(len(g.labels))]
		var targets []uint32
		for l := range g.labels {
			if string(g.labels[len(g.labels)-1-l]) == string(types) {
				targets = append(targets, uint32(l))
			}
		}
		g.values(types)
		g.index()
		g.emit([]byte{wasmgen.BrTable}, wasmgen.U32(uint32(len(targets)-1)), indices(targets))
	case 4, 5: // a tail call, of what returns the same
		for f, typ := range g.functions {
			t := g.types[typ]
			if string(t.results) != string(g.ft.results) {
				continue
			}
			g.step()
			g.values(t.params)
			if g.n(2) == 0 {
				g.op(0x12, uint32(f))
			} else {
				g.index()
				g.op(0x13, typ, 0)
			}
			return
		}
	}
}

// address emits an address that is mostly in the memory, near what pieces of bulk
// operations end at.
func (g *gen) address() {
	switch g.n(4) {
	case 0:
		g.expr(wasmgen.I32, 1)
		g.emit(wasmgen.I32Const(0xffff), []byte{0x71})
	case 1:
		g.emit(wasmgen.I32Const(int32(g.n(256))))
	case 2:
		g.emit(wasmgen.I32Const(65536*int32(g.n(4)) - 8 + int32(g.n(16))))
	case 3:
		g.expr(wasmgen.I32, 1)
	}
}

// index emits an index that is mostly in a table.
func (g *gen) index() {
	g.expr(wasmgen.I32, 1)
	if g.n(8) != 0 {
		g.emit(wasmgen.I32Const(7), []byte{0x71})
	}
}

func (g *gen) store() {
	stores := []struct {
		t  byte
		op []byte
	}{
		{wasmgen.I32, []byte{0x36, 2, 0}}, {wasmgen.I32, []byte{0x3a, 0, 1}}, {wasmgen.I64, []byte{0x37, 3, 3}},
		{wasmgen.I64, []byte{0x3e, 0, 0}}, {wasmgen.F32, []byte{0x38, 2, 4}}, {wasmgen.F64, []byte{0x39, 3, 0}},
		{wasmgen.V128, []byte{0xfd, 11, 4, 0}}, {wasmgen.V128, []byte{0xfd, 91, 3, 8, 1}},
	}
	s := stores[g.n(len(stores))]
	g.address()
	g.expr(s.t, 2)
	g.emit(s.op)
}

// length emits a number of bytes, also of more than one piece.
func (g *gen) length() {
	lengths := []int32{0, 1, 7, 300, 65535, 65536, 65537, 131072, 131073, -1}
	g.emit(wasmgen.I32Const(lengths[g.n(len(lengths))]))
}

func (g *gen) bulk() {
	switch g.n(5) {
	case 0:
		g.address()
		g.expr(wasmgen.I32, 1)
		g.length()
		g.emit([]byte{0xfc, 11, 0})
	case 1, 2:
		g.address()
		g.address()
		g.length()
		g.emit([]byte{0xfc, 10, 0, 0})
	case 3:
		g.address()
		g.index()
		g.emit(wasmgen.I32Const(int32(g.n(9))), []byte{0xfc, 8, 1, 0})
	case 4:
		g.emit([]byte{0xfc, 9, byte(g.n(2))})
	}
}

func (g *gen) table() {
	t := g.n(3)
	ref := []byte{wasmgen.FuncRef, wasmgen.ExternRef, wasmgen.FuncRef}[t]
	switch g.n(7) {
	case 0:
		g.index()
		g.expr(ref, 1)
		g.op(0x26, uint32(t))
	case 1:
		g.index()
		g.expr(ref, 1)
		g.index()
		g.emit([]byte{0xfc, 17, byte(t)})
	case 2, 3:
		from := t
		if t != 1 {
			from = 2 * g.n(2)
		}
		g.index()
		g.index()
		g.index()
		g.emit([]byte{0xfc, 14, byte(t), byte(from)})
	case 4:
		segment := 3
		if t != 1 {
			segment = g.n(3)
		}
		g.index()
		g.index()
		g.index()
		g.emit([]byte{0xfc, 12, byte(segment), byte(t)})
	case 5:
		g.expr(ref, 1)
		g.index()
		g.emit([]byte{0xfc, 15, byte(t), wasmgen.Drop})
	case 6:
		g.emit([]byte{0xfc, 13, byte(g.n(4))})
	}
}

// An operator is an instruction with what it takes and gives.
type operator struct {
	code  []byte
	takes []byte
	gives byte
}

// expr emits code that leaves one value.
func (g *gen) expr(t byte, depth int) {
	g.left--
	if depth <= 0 || g.left < 0 || g.n(3) == 0 {
		g.atom(t)
		return
	}
	switch g.n(8) {
	case 0: // select
		g.expr(t, depth-1)
		g.expr(t, depth-1)
		g.expr(wasmgen.I32, depth-1)
		g.emit([]byte{0x1c, 1, t})
	case 1:
		g.expr(t, depth-1)
		g.op(wasmgen.LocalTee, g.local(t))
	case 2:
		g.block(wasmgen.Block, sig{nil, []byte{t}}, 1, false)
	case 3:
		g.expr(wasmgen.I32, depth-1)
		g.block(wasmgen.If, sig{nil, []byte{t}}, 1, true)
	case 4: // a call
		i := slices.IndexFunc(g.functions, func(typ uint32) bool { return string(g.types[typ].results) == string(t) })
		if i < 0 {
			g.atom(t)
			return
		}
		g.step()
		g.values(g.types[g.functions[i]].params)
		g.op(wasmgen.Call, uint32(i))
	default:
		list := operators[t]
		o := list[g.n(len(list))]
		for i, in := range o.takes {
			if i == 0 && in == wasmgen.I32 && isLoad(o.code) {
				g.address()
				continue
			}
			g.expr(in, depth-1)
		}
		g.emit(o.code)
	}
}

func isLoad(code []byte) bool {
	return code[0] >= 0x28 && code[0] <= 0x35 || code[0] == 0xfd && code[1] <= 10 || code[0] == 0xfd && code[1] >= 84 && code[1] <= 93
}

// atom emits a value that needs no other.
func (g *gen) atom(t byte) {
	switch g.n(4) {
	case 0:
		g.op(wasmgen.LocalGet, g.local(t))
	case 1:
		g.op(wasmgen.GlobalGet, uint32(slices.Index(valueTypes, t)))
	case 2:
		if i := slices.Index(g.ft.params, t); i >= 0 {
			g.op(wasmgen.LocalGet, uint32(i))
			return
		}
		fallthrough
	default:
		switch t {
		case wasmgen.I32:
			g.emit(wasmgen.I32Const(int32(g.n(256)-16) << (4 * g.n(8))))
		case wasmgen.I64:
			g.emit(wasmgen.I64Const(int64(g.n(256)-16) << (8 * g.n(8))))
		case wasmgen.F32:
			g.emit([]byte{0x43, 0, 0, byte(g.n(256)), byte(g.n(256))})
		case wasmgen.F64:
			g.emit([]byte{0x44, 0, 0, 0, 0, 0, 0, byte(g.n(256)), byte(g.n(256))})
		case wasmgen.V128:
			g.emit([]byte{0xfd, 12}, slices.Repeat([]byte{byte(g.n(256)), byte(g.n(256))}, 8))
		case wasmgen.FuncRef:
			g.op(0xd2, uint32(g.n(len(g.functions))))
		case wasmgen.ExternRef:
			g.emit([]byte{0xd0, t})
		}
	}
}

// operators by what they give.
var operators = func() map[byte][]operator {
	const i32, i64, f32, f64, v128 = wasmgen.I32, wasmgen.I64, wasmgen.F32, wasmgen.F64, wasmgen.V128
	all := map[byte][]operator{}
	add := func(gives byte, takes []byte, codes ...[]byte) {
		for _, c := range codes {
			all[gives] = append(all[gives], operator{c, takes, gives})
		}
	}
	span := func(first, last byte) (codes [][]byte) {
		for op := int(first); op <= int(last); op++ {
			codes = append(codes, []byte{byte(op)})
		}
		return codes
	}
	simd := func(numbers ...uint32) (codes [][]byte) {
		for _, n := range numbers {
			codes = append(codes, append([]byte{0xfd}, wasmgen.U32(n)...))
		}
		return codes
	}
	add(i32, []byte{i32}, span(0x45, 0x45)...)
	add(i32, []byte{i32, i32}, span(0x46, 0x4f)...)
	add(i32, []byte{i64}, []byte{0x50}, []byte{0xa7})
	add(i32, []byte{i64, i64}, span(0x51, 0x5a)...)
	add(i32, []byte{f32, f32}, span(0x5b, 0x60)...)
	add(i32, []byte{f64, f64}, span(0x61, 0x66)...)
	add(i32, []byte{i32}, span(0x67, 0x69)...)
	add(i32, []byte{i32, i32}, span(0x6a, 0x78)...)
	add(i32, []byte{f32}, []byte{0xa8}, []byte{0xbc}, []byte{0xfc, 0}, []byte{0xfc, 1})
	add(i32, []byte{f64}, []byte{0xab}, []byte{0xfc, 2}, []byte{0xfc, 3})
	add(i32, []byte{i32}, []byte{0xc0}, []byte{0xc1}, []byte{0x28, 2, 0}, []byte{0x2c, 0, 3}, []byte{0x2f, 1, 0x80, 0})
	add(i32, nil, []byte{0x3f, 0}, []byte{0xfc, 16, 0}, []byte{0xfc, 16, 0x81, 0})
	add(i32, []byte{wasmgen.FuncRef}, []byte{0xd1})
	add(i32, []byte{wasmgen.ExternRef}, []byte{0xd1})
	add(i32, []byte{v128}, simd(0x53, 0x63, 0x64, 0x83, 0xa4, 0xc3)...)
	add(i32, []byte{v128}, []byte{0xfd, 21, 5}, []byte{0xfd, 27, 3})
	add(i64, []byte{i64}, span(0x79, 0x7b)...)
	add(i64, []byte{i64, i64}, span(0x7c, 0x8a)...)
	add(i64, []byte{i32}, []byte{0xac}, []byte{0xad}, []byte{0x29, 3, 0}, []byte{0x35, 2, 0})
	add(i64, []byte{i64}, span(0xc2, 0xc4)...)
	add(i64, []byte{f64}, []byte{0xb0}, []byte{0xbd}, []byte{0xfc, 6}, []byte{0xfc, 7})
	add(i64, []byte{v128}, []byte{0xfd, 29, 1})
	add(f32, []byte{f32}, span(0x8b, 0x91)...)
	add(f32, []byte{f32, f32}, span(0x92, 0x98)...)
	add(f32, []byte{i32}, []byte{0xb2}, []byte{0xb3}, []byte{0xbe}, []byte{0x2a, 2, 0})
	add(f32, []byte{f64}, []byte{0xb6})
	add(f32, []byte{v128}, []byte{0xfd, 31, 2})
	add(f64, []byte{f64}, span(0x99, 0x9f)...)
	add(f64, []byte{f64, f64}, span(0xa0, 0xa6)...)
	add(f64, []byte{i64}, []byte{0xb9}, []byte{0xba}, []byte{0xbf})
	add(f64, []byte{i32}, []byte{0x2b, 3, 0})
	add(v128, []byte{i32}, simd(15, 16, 17)...)
	add(v128, []byte{i64}, simd(18)...)
	add(v128, []byte{f32}, simd(19)...)
	add(v128, []byte{f64}, simd(20)...)
	add(v128, []byte{v128}, simd(77, 96, 98, 128, 160, 192, 224, 225, 227, 236, 239, 248, 253)...)
	add(v128, []byte{v128, v128}, simd(14, 35, 45, 78, 81, 110, 113, 142, 145, 149, 174, 181, 186, 206, 213, 220, 228, 231, 240, 243)...)
	add(v128, []byte{v128, v128, v128}, simd(82)...)
	add(v128, []byte{v128, v128}, slices.Concat([]byte{0xfd, 13}, []byte{0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31}))
	add(v128, []byte{v128, i32}, []byte{0xfd, 23, 15}, []byte{0xfd, 28, 0}, []byte{0xfd, 107}, []byte{0xfd, 0x8b, 1})
	add(v128, []byte{i32}, []byte{0xfd, 0, 4, 0}, []byte{0xfd, 1, 3, 0}, []byte{0xfd, 7, 0, 9}, []byte{0xfd, 92, 2, 0}, []byte{0xfd, 93, 3, 0})
	add(v128, []byte{i32, v128}, []byte{0xfd, 84, 0, 0, 15}, []byte{0xfd, 87, 3, 0, 1})
	masked := func(table byte) []byte { return []byte{0x41, 7, 0x71, 0x25, table} } // i32.const 7, i32.and, table.get
	add(wasmgen.FuncRef, []byte{i32}, masked(0), masked(2))
	add(wasmgen.ExternRef, []byte{i32}, masked(1))
	return all
}()

package instrument_test

import (
	"slices"

	"github.com/ohhost/ohhost/internal/wasmgen"
)

// valueTypes are all types that a generated module uses.
var valueTypes = []byte{wasmgen.I32, wasmgen.I64, wasmgen.F32, wasmgen.F64, wasmgen.V128, wasmgen.FuncRef, wasmgen.ExternRef}

// Globals of a generated module: one of each type, then two for the test.
const (
	globalSteps = 7 // i32: how many loops and calls are left; none is a trap
	globalWork  = 8 // i64: counts statements, of at least workCost units each
	workCost    = 4
)

// A sig is the type of a function or block.
type sig struct{ params, results []byte }

// A gen makes a module that is valid and ends, whatever the bytes that it is
// made of.
type gen struct {
	in   []byte
	left int // statements and expressions that may still be made

	b         *wasmgen.Builder
	types     []sig    // those of the module, deduplicated
	functions []uint32 // type of each
	ft        sig      // of the function in the making
	labels    [][]byte // what a branch to each takes, the innermost last
	code      []byte
}

// generate returns a module made from in. It exports its functions as f0, f1, …,
// of the returned types.
func generate(in []byte) ([]byte, []sig) {
	g := &gen{in: in, left: 400, b: wasmgen.New()}
	n := 2 + g.n(4)
	for range n {
		g.functions = append(g.functions, g.typeOf(sig{g.someTypes(3), g.someTypes(2)}))
	}
	var bodies [][]byte
	for i := range n {
		bodies = append(bodies, g.function(i))
	}
	for _, t := range g.types {
		g.b.Type(t.params, t.results)
	}
	var exported []sig
	locals := make([]wasmgen.Locals, len(valueTypes))
	for i, t := range valueTypes {
		locals[i] = wasmgen.Locals{N: 1, Type: t}
	}
	for i, body := range bodies {
		f := g.b.Func(g.functions[i], locals, body)
		g.b.Export("f"+string(rune('0'+i)), wasmgen.KindFunc, f)
		exported = append(exported, g.types[g.functions[i]])
	}
	g.rest(n)
	return g.b.Bytes(), exported
}

// rest adds everything but functions: three tables, a memory, globals, segments.
func (g *gen) rest(functions int) {
	g.b.Table(wasmgen.FuncRef, wasmgen.LimitsTo(8, 16))
	g.b.Table(wasmgen.ExternRef, wasmgen.LimitsTo(8, 16))
	g.b.Table(wasmgen.FuncRef, wasmgen.LimitsTo(8, 300))
	g.b.Memory(wasmgen.LimitsTo(3, 5))
	for _, t := range valueTypes {
		g.b.Global(t, true, zeroOf(t))
	}
	g.b.Global(wasmgen.I32, true, wasmgen.I32Const(0))
	g.b.Export("steps", wasmgen.KindGlobal, globalSteps)
	g.b.Global(wasmgen.I64, true, wasmgen.I64Const(0))
	g.b.Export("work", wasmgen.KindGlobal, globalWork)

	var all []uint32
	for i := range 6 {
		all = append(all, uint32(i%functions))
	}
	g.b.Elem(wasmgen.I32Const(0), all...)
	var exprs []byte
	for _, f := range all {
		exprs = append(append(append(exprs, 0xd2), wasmgen.U32(f)...), wasmgen.End)
	}
	// A passive segment of functions, a passive one of expressions.
	g.b.Repeat(wasmgen.SectionElem, 1, slices.Concat([]byte{1, 0, 6}, indices(all)))
	g.b.Repeat(wasmgen.SectionElem, 1, slices.Concat([]byte{5, wasmgen.FuncRef, 6}, exprs))
	g.b.Repeat(wasmgen.SectionElem, 1, []byte{5, wasmgen.ExternRef, 2, 0xd0, wasmgen.ExternRef, wasmgen.End, 0xd0, wasmgen.ExternRef, wasmgen.End})
	g.b.DataCount(2)
	g.b.Data(wasmgen.I32Const(100), []byte("active"))
	g.b.Repeat(wasmgen.SectionData, 1, append([]byte{1, 7}, "passive"...))
}

func indices(list []uint32) (out []byte) {
	for _, v := range list {
		out = append(out, wasmgen.U32(v)...)
	}
	return out
}

// n returns a number below limit.
func (g *gen) n(limit int) int {
	if len(g.in) == 0 {
		return 0
	}
	v := int(g.in[0])
	g.in = g.in[1:]
	return v % limit
}

func (g *gen) someTypes(most int) []byte {
	types := []byte{}
	for range g.n(most + 1) {
		types = append(types, valueTypes[g.n(len(valueTypes))])
	}
	return types
}

func (g *gen) typeOf(s sig) uint32 {
	i := slices.IndexFunc(g.types, func(t sig) bool {
		return string(t.params) == string(s.params) && string(t.results) == string(s.results)
	})
	if i < 0 {
		g.types, i = append(g.types, s), len(g.types)
	}
	return uint32(i)
}

func (g *gen) emit(code ...[]byte) { g.code = append(g.code, slices.Concat(code...)...) }

func (g *gen) op(op byte, immediates ...uint32) { g.emit(wasmgen.Op(op, immediates...)) }

func (g *gen) function(i int) []byte {
	g.ft = g.types[g.functions[i]]
	g.code, g.labels = nil, [][]byte{g.ft.results}
	g.body(3, g.ft.results)
	return g.code
}

// body emits statements and then values.
func (g *gen) body(depth int, results []byte) {
	for range 1 + g.n(4) {
		g.statement(depth)
	}
	g.values(results)
}

func (g *gen) values(types []byte) {
	for _, t := range types {
		g.expr(t, 2)
	}
}

// consume stores or drops what is on the stack.
func (g *gen) consume(types []byte) {
	for _, t := range slices.Backward(types) {
		if g.n(2) == 0 {
			g.op(wasmgen.Drop)
			continue
		}
		g.op(wasmgen.LocalSet, g.local(t))
	}
}

// local is a local of that type that is not a parameter.
func (g *gen) local(t byte) uint32 {
	return uint32(len(g.ft.params) + slices.Index(valueTypes, t))
}

// step traps when there were too many loops and calls.
func (g *gen) step() {
	g.op(wasmgen.GlobalGet, globalSteps)
	g.op(wasmgen.I32Eqz)
	g.emit([]byte{wasmgen.If, wasmgen.Void, wasmgen.Unreachable, wasmgen.End})
	g.op(wasmgen.GlobalGet, globalSteps)
	g.emit(wasmgen.I32Const(-1), []byte{wasmgen.I32Add})
	g.op(wasmgen.GlobalSet, globalSteps)
}

func (g *gen) block(op byte, s sig, depth int, elseToo bool) {
	g.emit([]byte{op}, wasmgen.S64(int64(g.typeOf(s))))
	branch := s.results
	if op == wasmgen.Loop {
		branch = s.params
	}
	g.labels = append(g.labels, branch)
	for arm := 0; arm < 2 && (arm == 0 || elseToo); arm++ {
		if arm == 1 {
			g.op(wasmgen.Else)
		}
		if op == wasmgen.Loop {
			g.consume(s.params)
			g.step()
		} else {
			g.consume(s.params)
		}
		g.body(depth-1, s.results)
		if op == wasmgen.Loop && g.n(2) == 0 { // once more, with the results dropped
			g.consume(s.results)
			g.values(s.params)
			g.expr(wasmgen.I32, 1)
			g.op(wasmgen.BrIf, 0)
			g.consume(s.params)
			g.values(s.results)
		}
	}
	g.labels = g.labels[:len(g.labels)-1]
	g.op(wasmgen.End)
}

// zeroOf is a constant expression of a type, without its end.
func zeroOf(t byte) []byte {
	switch t {
	case wasmgen.I32:
		return wasmgen.I32Const(0)
	case wasmgen.I64:
		return wasmgen.I64Const(0)
	case wasmgen.F32:
		return make4(0x43)
	case wasmgen.F64:
		return append(make4(0x44), 0, 0, 0, 0)
	case wasmgen.V128:
		return append([]byte{0xfd, 12}, make([]byte, 16)...)
	}
	return []byte{0xd0, t}
}

func make4(op byte) []byte { return []byte{op, 0, 0, 0, 0} }

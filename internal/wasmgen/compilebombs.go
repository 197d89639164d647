package wasmgen

import "slices"

// compileBombs take compilers more than linear time or memory: in the number of
// blocks, of branches, of locals that are alive where branches meet, of values on
// the stack. Most are small.
func compileBombs() []Bomb {
	var (
		get   = func(v int) []byte { return Op(LocalGet, uint32(v)) }
		set   = func(v int) []byte { return Op(LocalSet, uint32(v)) }
		brIf  = slices.Concat(get(0), Op(BrIf, 0))
		block = []byte{Block, Void}
		loop  = []byte{Loop, Void}
		end   = []byte{End}
		load  = Op(I32Load, 2, 0)
		each  = func(n int, f func(i int) []byte) (out []byte) {
			for i := range n {
				out = append(out, f(i)...)
			}
			return out
		}
		increase = func(v int) []byte { return slices.Concat(get(v), I32Const(1), []byte{I32Add}, set(v)) }
		with     = func(more func(b *Builder), name string, locals uint32, code ...[]byte) Bomb {
			return bomb("R5", name, Plugin{Locals: []Locals{{locals, I32}}, Call: slices.Concat(code...), More: more})
		}
		call = func(name string, locals uint32, code ...[]byte) Bomb { return with(nil, name, locals, code...) }
	)
	return []Bomb{
		call("20000 nested blocks around a br_table of 200000 targets", 0,
			Times(20_000, block), get(0), Targets(200_000, 19_999), Times(20_000, end)),
		call("50000 nested blocks", 0, Times(50_000, block), Times(50_000, end)),
		call("20000 nested loops", 0, Times(20_000, loop), Times(20_000, brIf, end)),
		call("20000 nested ifs", 0, Times(20_000, get(0), []byte{If, Void}), Times(20_000, end)),
		call("300000 blocks in a row", 0, Times(300_000, block, end)),
		call("100000 loops in a row", 0, Times(100_000, loop, end)),
		call("100000 ways to return", 0, Times(100_000, get(0), []byte{If, Void}, I32Const(0), []byte{Return, End})),
		call("10000 br_tables of 10 targets", 0, Times(10_000, block, get(0), Targets(10, 0), end)),
		call("a br_table of 1000000 targets", 0, block, get(0), Targets(1_000_000, 0), end),
		call("a body of 10 MB", 0, Times(10_000_000/7, get(0), I32Const(3), []byte{I32Mul}, set(0))),
		call("a body of 10 MB of loads", 0, get(0), Times(10_000_000/3, load), set(0)),
		with(func(b *Builder) { b.Table(FuncRef, Limits(1)) },
			"a body of 3 MB of indirect calls", 0, Times(600_000, I32Const(0), Op(CallIndirect, TypeVoid, 0))),
		call("100000 values on the stack, in 1000 blocks", 0,
			Times(100_000, get(0), load), Times(1000, block, brIf, end), Times(99_999, []byte{I32Add}), []byte{Drop}),
		call("10000 loads before 10000 blocks", 1,
			get(0), Times(10_000, load), set(1), block, Times(10_000, brIf), end),
		call("a switch of 1000 cases in a loop, with 1000 locals", 1000,
			loop, Times(1001, block), get(1), append(append([]byte{BrTable}, U32(1000)...), each(1001, func(i int) []byte { return U32(uint32(i)) })...),
			each(1000, func(i int) []byte {
				return slices.Concat(end, increase(i+1), Op(Br, uint32(1000-i)))
			}), end, end),
		call("3000 loops with 3000 locals", 3000,
			each(3000, func(i int) []byte { return slices.Concat(loop, increase(i+1), brIf, end) }),
			each(3000, func(i int) []byte { return slices.Concat(get(i+1), []byte{Drop}) })),
		call("1000 nested loops with 1000 locals", 1000,
			Times(1000, loop), each(1000, func(i int) []byte { return increase(i + 1) }), Times(1000, brIf, end)),
		call("1000 nested loops and blocks with 200 locals", 200,
			Times(1000, loop, block, brIf), each(200, func(i int) []byte { return slices.Concat(get(i+1), []byte{Drop}) }),
			Times(1000, get(0), Op(BrIf, 1), end, end)),
		call("10000 ifs with 1000 locals", 1000,
			each(10_000, func(i int) []byte {
				return slices.Concat(get((i+1)%1000+1), []byte{If, Void}, increase(i%1000+1), end)
			})),
		call("5000 branches to where 1000 locals are read", 1000,
			block, each(5000, func(i int) []byte { return slices.Concat(I32Const(int32(i)), set(i%1000+1), brIf) }), end,
			each(1000, func(i int) []byte { return slices.Concat(get(i+1), []byte{Drop}) })),
		call("30000 branches before 30000 reads of a local", 1,
			block, Times(30_000, brIf), Times(30_000, get(1), []byte{Drop}), end),
		with(func(b *Builder) {
			b.Repeat(SectionGlobal, 1000, slices.Concat(GlobalType(I32, true), I32Const(0), []byte{End}))
			b.Func(TypeVoid, nil)
		}, "20000 calls with 1000 globals", 0, Times(20_000, Op(Call, FuncMore))),
		more("R5", "100000 functions with 10000 types", func(b *Builder) {
			b.Repeat(SectionType, 10_000, []byte{0x60, 0, 0})
			b.Funcs(100_000, TypeVoid, nil)
		}),
		with(func(b *Builder) {
			many := slices.Repeat([]byte{I32}, 1000)
			b.Type(many, many)
		}, "3000 nested blocks of 1000 parameters and results", 0,
			Times(1000, get(0)), Times(3000, []byte{Block}, U32(TypeMore)), Times(3000, end), Times(1000, []byte{Drop})),
	}
}

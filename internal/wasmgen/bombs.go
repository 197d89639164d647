package wasmgen

import (
	"fmt"
	"slices"
)

// A Bomb is a plugin that is sound but for one thing.
type Bomb struct {
	Threat string // its ID in docs/spec/threats.md
	Name   string // what is wrong with it
	Wasm   func() []byte
	// Loads says that a host may load it: then the bomb is what loading it costs.
	Loads bool
}

// bomb is a plugin with something added.
func bomb(threat, name string, p Plugin) Bomb {
	return Bomb{Threat: threat, Name: name, Wasm: p.Bytes}
}

func more(threat, name string, add func(b *Builder)) Bomb {
	return bomb(threat, name, Plugin{More: add})
}

// Bombs returns all bombs: of memory (R3), tables (R4), compilers (R5), stacks
// (R14), and of odd sections (S8).
func Bombs() []Bomb {
	return slices.Concat(memoryBombs(), countBombs(), compileBombs(), sectionBombs(), brokenModules())
}

func memoryBombs() []Bomb {
	return []Bomb{
		bomb("R3", "a memory of at least 65536 pages", Plugin{Memory: Limits(65536)}),
		bomb("R3", "a memory of at least 65537 pages", Plugin{Memory: Limits(65537)}),
		more("R3", "100 memories", func(b *Builder) { b.Repeat(SectionMemory, 99, Limits(1)) }),
		more("R4", "a table of at least 100000000 elements", func(b *Builder) { b.Table(FuncRef, Limits(100_000_000)) }),
		more("R4", "a table of at least 100000000 external references", func(b *Builder) { b.Table(ExternRef, Limits(100_000_000)) }),
		more("R4", "16 tables of at least 10000000 elements", func(b *Builder) { b.repeatTables(16, 10_000_000) }),
		more("R4", "1000000 tables", func(b *Builder) { b.repeatTables(1_000_000, 0) }),
		bomb("R14", "1000000 locals", Plugin{Locals: []Locals{{1_000_000, I64}}}),
		bomb("R14", "4294967295 locals", Plugin{Locals: []Locals{{1<<32 - 1, I64}}}),
		bomb("R14", "locals that overflow 32 bits", Plugin{Locals: slices.Repeat([]Locals{{1 << 31, I32}}, 4)}),
	}
}

func (b *Builder) repeatTables(n int, min uint32) {
	b.Repeat(SectionTable, n, slices.Concat([]byte{FuncRef}, Limits(min)))
}

// countBombs have a million of something that is cheap to encode.
func countBombs() []Bomb {
	const million = 1_000_000
	return []Bomb{
		more("R5", "1000000 types", func(b *Builder) { b.Repeat(SectionType, million, []byte{0x60, 0, 0}) }),
		more("R5", "a type of 1000000 parameters", func(b *Builder) { b.Type(slices.Repeat([]byte{I32}, million), nil) }),
		bomb("R5", "1000000 imports", Plugin{Imports: func(b *Builder) {
			b.Repeat(SectionImport, million, slices.Concat(Name("ohhost_v1"), Name("output"), []byte{KindFunc}, U32(TypeWrite)))
			b.index[KindFunc] += million
		}}),
		more("R5", "1000000 functions", func(b *Builder) { b.Funcs(million, TypeVoid, nil) }),
		more("R5", "1000000 globals", func(b *Builder) {
			b.Repeat(SectionGlobal, million, slices.Concat(GlobalType(I32, true), I32Const(0), []byte{End}))
		}),
		more("R5", "1000000 exports", func(b *Builder) {
			for i := range million {
				b.Export(fmt.Sprint(i), KindFunc, FuncOutput)
			}
		}),
		more("R5", "1000000 element segments", func(b *Builder) {
			b.Table(FuncRef, Limits(1))
			b.Repeat(SectionElem, million, slices.Concat([]byte{0}, I32Const(0), []byte{End, 0}))
		}),
		more("R5", "an element segment of 10000000 functions", func(b *Builder) {
			b.Table(FuncRef, Limits(1))
			b.Elem(I32Const(0), make([]uint32, 10_000_000)...)
		}),
		more("R5", "1000000 data segments", func(b *Builder) {
			b.Repeat(SectionData, million, slices.Concat([]byte{0}, I32Const(0), []byte{End, 0}))
		}),
		more("R5", "200 functions with 50000 locals each", func(b *Builder) { b.Funcs(200, TypeVoid, []Locals{{50_000, I64}}) }),
	}
}

// sectionBombs have sections that a module should not have, or that do not fit.
func sectionBombs() []Bomb {
	return []Bomb{
		more("S8", "a start function", func(b *Builder) { b.Start(b.Func(TypeVoid, nil)) }),
		more("S8", "two exports of one name", func(b *Builder) { b.Export("oh_call", KindFunc, FuncOutput) }),
		more("S8", "an export of a function that does not exist", func(b *Builder) { b.Export("x", KindFunc, 1000) }),
		more("S8", "an active data segment out of bounds", func(b *Builder) { b.Data(I32Const(65535), []byte("xy")) }),
		more("S8", "an active data segment at a negative offset", func(b *Builder) { b.Data(I32Const(-1), []byte("x")) }),
		// 4.5.4 says that it traps; wazero leaves such a segment out.
		loads("S8", "an active element segment out of bounds", func(b *Builder) {
			b.Table(FuncRef, Limits(1))
			b.Elem(I32Const(1), FuncOutput)
		}),
		bomb("S8", "an imported memory", Plugin{Imports: func(b *Builder) { b.Import("ohhost_v1", "memory", KindMemory, Limits(1)) }}),
		bomb("S8", "an imported table", Plugin{Imports: func(b *Builder) {
			b.Import("ohhost_v1", "table", KindTable, slices.Concat([]byte{FuncRef}, Limits(1)))
		}}),
		bomb("S8", "an imported global", Plugin{Imports: func(b *Builder) {
			b.Import("ohhost_v1", "global", KindGlobal, GlobalType(I32, true))
		}}),
		bomb("S8", "an import from another plugin", Plugin{Imports: func(b *Builder) {
			b.Import("made", "oh_call", KindFunc, U32(TypeI32I32))
		}}),
		more("S8", "code in a data segment's offset", func(b *Builder) { b.Data(Op(Call, FuncOutput), nil) }),
		loads("S8", "1000000 custom sections", func(b *Builder) {
			b.custom = slices.Repeat([]Section{{ID: SectionCustom, Content: Name("x")}}, 1_000_000)
		}),
		loads("S8", "a custom section of 60 MiB", func(b *Builder) { b.Custom("x", make([]byte, 60<<20)) }),
		loads("S8", "1000000 names", func(b *Builder) { b.Custom("name", functionNames(1_000_000, "")) }),
		loads("S8", "names of 40 MiB", func(b *Builder) { b.Custom("name", functionNames(4, string(make([]byte, 10<<20)))) }),
		loads("S8", "names of functions that do not exist", func(b *Builder) {
			b.Custom("name", subsection(slices.Concat(U32(1), U32(1<<32-1), Name("x"))))
		}),
		loads("S8", "more names announced than there are", func(b *Builder) { b.Custom("name", subsection(U32(1<<32-1))) }),
	}
}

func loads(threat, name string, add func(b *Builder)) Bomb {
	b := more(threat, name, add)
	b.Loads = true
	return b
}

// functionNames is the content of a name section (7.4.1) that names so many
// functions.
func functionNames(n int, name string) []byte {
	list := U32(uint32(n))
	for i := range n {
		list = append(append(list, U32(uint32(i))...), Name(name)...)
	}
	return subsection(list)
}

func subsection(content []byte) []byte { return slices.Concat([]byte{1}, vecOf(content)) }

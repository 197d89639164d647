// Package wasmgen writes wasm modules, sound ones and broken ones, for tests and
// for the self-test: what a checker of modules has to refuse is quicker said in
// Go than drawn from a compiler, and some of it no compiler makes.
//
//	b := wasmgen.New()
//	t := b.Type(nil, []byte{wasmgen.I32})
//	f := b.Func(t, nil, wasmgen.I32Const(7))
//	b.Export("seven", wasmgen.KindFunc, f)
//	wasm := b.Bytes()
//
// It is not an assembler and checks nothing: code is bytes, indices are what the
// caller says they are. Numbers in comments are sections of the WebAssembly
// core specification 2.0.
package wasmgen

import (
	"encoding/binary"
	"slices"
)

// IDs of sections (5.5.2), in the order that a module must have them. The
// section of the data count stands between those of elements and code.
const (
	SectionCustom    = 0
	SectionType      = 1
	SectionImport    = 2
	SectionFunction  = 3
	SectionTable     = 4
	SectionMemory    = 5
	SectionGlobal    = 6
	SectionExport    = 7
	SectionStart     = 8
	SectionElem      = 9
	SectionDataCount = 12
	SectionCode      = 10
	SectionData      = 11
)

// Types of values (5.3).
const (
	I32       = 0x7f
	I64       = 0x7e
	F32       = 0x7d
	F64       = 0x7c
	V128      = 0x7b
	FuncRef   = 0x70
	ExternRef = 0x6f
)

// Kinds of imports and exports (5.5.5, 5.5.10).
const (
	KindFunc   = 0
	KindTable  = 1
	KindMemory = 2
	KindGlobal = 3
)

// A Builder gathers the sections of a module. Its methods append to a section
// and return the index of what they appended; an index counts the imports of
// that kind, which therefore have to be made first.
type Builder struct {
	vecs   [SectionDataCount + 1]vec
	index  [KindGlobal + 1]uint32
	start  []byte
	custom []Section
}

// A vec is the content of a section: a number of items, and the items (5.1.3).
type vec struct {
	n     uint32
	items []byte
}

// New returns a builder of an empty module.
func New() *Builder { return &Builder{} }

// Repeat appends n times the same encoded item to a section of items, and
// returns the index of the first. It is how a million of something is made; the
// indices of functions, tables, memories and globals do not count them.
func (b *Builder) Repeat(section byte, n int, item []byte) uint32 {
	v := &b.vecs[section]
	first := v.n
	v.n += uint32(n)
	v.items = slices.Grow(v.items, n*len(item))
	for range n {
		v.items = append(v.items, item...)
	}
	return first
}

func (b *Builder) next(kind byte) uint32 {
	b.index[kind]++
	return b.index[kind] - 1
}

// Type appends a type of functions (5.3.6).
func (b *Builder) Type(params, results []byte) uint32 {
	return b.Repeat(SectionType, 1, slices.Concat([]byte{0x60}, vecOf(params), vecOf(results)))
}

// Import appends an import (5.5.5); desc is what Limits, GlobalType or, for a
// function, U32 of its type give.
func (b *Builder) Import(module, name string, kind byte, desc []byte) uint32 {
	b.Repeat(SectionImport, 1, slices.Concat(Name(module), Name(name), []byte{kind}, desc))
	return b.next(kind)
}

// Func appends a function with its body (5.5.6, 5.5.13); code is without the
// final end.
func (b *Builder) Func(typ uint32, locals []Locals, code ...[]byte) uint32 {
	b.Repeat(SectionFunction, 1, U32(typ))
	b.Repeat(SectionCode, 1, Body(locals, code...))
	return b.next(KindFunc)
}

// Funcs appends n functions with the same body and returns the index of the
// first.
func (b *Builder) Funcs(n int, typ uint32, locals []Locals, code ...[]byte) uint32 {
	first := b.index[KindFunc]
	b.Repeat(SectionFunction, n, U32(typ))
	b.Repeat(SectionCode, n, Body(locals, code...))
	b.index[KindFunc] += uint32(n)
	return first
}

// Table appends a table (5.5.7) of FuncRef or ExternRef.
func (b *Builder) Table(elem byte, limits []byte) uint32 {
	b.Repeat(SectionTable, 1, slices.Concat([]byte{elem}, limits))
	return b.next(KindTable)
}

// Memory appends a memory (5.5.8).
func (b *Builder) Memory(limits []byte) uint32 {
	b.Repeat(SectionMemory, 1, limits)
	return b.next(KindMemory)
}

// Global appends a global (5.5.9); init is without its end.
func (b *Builder) Global(typ byte, mutable bool, init []byte) uint32 {
	b.Repeat(SectionGlobal, 1, slices.Concat(GlobalType(typ, mutable), init, []byte{End}))
	return b.next(KindGlobal)
}

// Export appends an export (5.5.10).
func (b *Builder) Export(name string, kind byte, index uint32) {
	b.Repeat(SectionExport, 1, slices.Concat(Name(name), []byte{kind}, U32(index)))
}

// Start sets the start function (5.5.11).
func (b *Builder) Start(f uint32) { b.start = U32(f) }

// Elem appends an active segment of table 0 (5.5.12): the functions from offset
// on.
func (b *Builder) Elem(offset []byte, funcs ...uint32) uint32 {
	var list []byte
	for _, f := range funcs {
		list = append(list, U32(f)...)
	}
	return b.Repeat(SectionElem, 1, slices.Concat([]byte{0}, offset, []byte{End}, U32(uint32(len(funcs))), list))
}

// Data appends an active segment of memory 0 (5.5.14).
func (b *Builder) Data(offset []byte, bytes []byte) uint32 {
	return b.Repeat(SectionData, 1, slices.Concat([]byte{0}, offset, []byte{End}, vecOf(bytes)))
}

// DataCount appends the section that says how many data segments there are
// (5.5.16), which memory.init and data.drop need.
func (b *Builder) DataCount(n uint32) { b.vecs[SectionDataCount] = vec{n: n} }

// Custom appends a custom section (5.5.3); they follow all others.
func (b *Builder) Custom(name string, content []byte) {
	b.custom = append(b.custom, Section{ID: SectionCustom, Content: slices.Concat(Name(name), content)})
}

// Sections returns the module's sections in their order, to be put together
// wrongly by Encode.
func (b *Builder) Sections() []Section {
	var all []Section
	for _, id := range []byte{SectionType, SectionImport, SectionFunction, SectionTable, SectionMemory, SectionGlobal,
		SectionExport, SectionStart, SectionElem, SectionDataCount, SectionCode, SectionData} {
		v := b.vecs[id]
		switch {
		case id == SectionStart && b.start != nil:
			all = append(all, Section{ID: id, Content: b.start})
		case v.n > 0 || len(v.items) > 0:
			all = append(all, Section{ID: id, Content: slices.Concat(U32(v.n), v.items)})
		}
	}
	return append(all, b.custom...)
}

// Bytes returns the module.
func (b *Builder) Bytes() []byte { return Encode(b.Sections()...) }

// A Section is one section as it is encoded (5.5.2). Size, where it is not nil,
// is written in place of the content's true length: a lie, or an over-long number.
type Section struct {
	ID      byte
	Content []byte
	Size    []byte
}

// Preamble is the magic number and the version of every module (5.5.15).
var Preamble = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Encode puts sections behind the preamble, in the order given.
func Encode(sections ...Section) []byte {
	out := slices.Clone(Preamble)
	for _, s := range sections {
		size := s.Size
		if size == nil {
			size = U32(uint32(len(s.Content)))
		}
		out = append(append(append(out, s.ID), size...), s.Content...)
	}
	return out
}

// U32 is an unsigned number in LEB128 (5.2.2).
func U32(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

// LongU32 is the same number in width bytes: over-long, and from six bytes on an
// encoding that is refused.
func LongU32(v uint32, width int) []byte {
	out := make([]byte, width)
	for i := range out {
		out[i] = byte(v>>(7*i))&0x7f | 0x80
	}
	out[width-1] &= 0x7f
	return out
}

// S64 is a signed number in LEB128 (5.2.2).
func S64(v int64) []byte {
	var out []byte
	for {
		b := byte(v) & 0x7f
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// Name is a name (5.2.4).
func Name(s string) []byte { return vecOf([]byte(s)) }

// Limits are those of a memory or table without a maximum (5.3.7).
func Limits(min uint32) []byte { return slices.Concat([]byte{0}, U32(min)) }

// LimitsTo are limits with a maximum (5.3.7).
func LimitsTo(min, max uint32) []byte { return slices.Concat([]byte{1}, U32(min), U32(max)) }

// GlobalType is the type of a global (5.3.10).
func GlobalType(typ byte, mutable bool) []byte {
	if mutable {
		return []byte{typ, 1}
	}
	return []byte{typ, 0}
}

func vecOf(b []byte) []byte { return slices.Concat(U32(uint32(len(b))), b) }

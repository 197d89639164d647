package instrument

import (
	"fmt"
	"math"
	"slices"
)

// A Plan says what is made of a module. The zero Plan meters it.
type Plan struct {
	// Plain leaves out metering: for measuring what it costs.
	Plain bool
	// Frozen makes a module whose instances begin with a state that the host gives
	// them: it has no data segments, and its mutable globals are exported, see
	// [Module.Segments] and [Module.FrozenGlobals]. The module must be Freezable.
	Frozen bool
}

// A rewriter writes a changed module.
type rewriter struct {
	m     *Module
	plan  *Plan
	added []addedFunction // behind those of the module

	yield  uint32 // index of the imported function
	pause  uint32 // of the function that calls it
	budget uint32 // of the global

	out    *Module  // what is written, as far as its index spaces go
	moved  []uint32 // new index of each imported function, see wasi.go
	bulk   map[bulkKey]uint32
	err    error             // the first
	blocks map[string]uint32 // types of blocks by their results
}

// An addedFunction is one that the module did not have.
type addedFunction struct {
	typ  uint32
	body []byte // with its locals, without its size
}

// Rewrite returns the module changed as planned; the result is a module of its own
// that wazero has yet to validate.
func (m *Module) Rewrite(p *Plan) ([]byte, error) {
	out := *m
	out.types, out.functions = slices.Clone(m.types), slices.Clone(m.functions)
	w := &rewriter{m: m, plan: p, out: &out, bulk: map[bulkKey]uint32{}, blocks: map[string]uint32{}, budget: uint32(m.globalCount())}
	if p.Frozen {
		if err := m.Freezable(); err != nil {
			return nil, fmt.Errorf("the module cannot be frozen: %w", err)
		}
	}
	for i := range m.importedFunctions {
		w.moved = append(w.moved, uint32(i))
	}
	if !p.Plain {
		w.yield = uint32(len(m.importedFunctions))
		out.importedFunctions = append(slices.Clone(m.importedFunctions), w.funcType([]byte{typeI64}, []byte{typeI64}))
		out.globals = append(slices.Clone(m.globals), global{typ: typeI64, mutable: true})
		out.limits.Locals++ // for the budget
		w.pause = w.add(w.funcType(nil, nil), w.pauseBody)
		w.boundWASI()
	}
	code, err := w.code() // first, since it adds functions and types
	if err != nil {
		return nil, err
	}
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = w.typeSection(b)
	b = w.importSection(b)
	b = w.functionSection(b)
	b = w.tableSection(b)
	b = w.memorySection(b)
	b = w.globalSection(b)
	b = w.exportSection(b)
	if m.start != nil {
		start := appendU32(nil, w.function(*m.start))
		b = append(appendU32(append(b, sectionStart), uint32(len(start))), start...)
	}
	b = w.elementSection(b)
	if m.dataCount != nil && !p.Frozen {
		count := appendU32(nil, *m.dataCount)
		b = append(appendU32(append(b, sectionDataCount), uint32(len(count))), count...)
	}
	b = appendSection(b, sectionCode, len(m.bodies)+len(w.added), code)
	if !p.Frozen {
		b = w.dataSection(b)
	}
	b = w.nameSection(b)
	if len(b) > math.MaxInt32 {
		return nil, fmt.Errorf("the rewritten module has %d bytes", len(b))
	}
	return b, nil
}

// function returns the new index of a function.
func (w *rewriter) function(index uint32) uint32 {
	switch n := uint32(len(w.m.importedFunctions)); {
	case index < n:
		return w.moved[index]
	case w.plan.Plain:
		return index
	default:
		return index + 1 // the host's function is the last that is imported
	}
}

// add appends a function and returns its index. Its body may use that index
// already, so it is made afterwards.
func (w *rewriter) add(typ uint32, body func() []byte) uint32 {
	index := w.function(uint32(len(w.m.importedFunctions)+len(w.m.functions))) + uint32(len(w.added))
	place := len(w.added)
	w.added = append(w.added, addedFunction{typ: typ})
	w.out.functions = append(w.out.functions, typ)
	w.added[place].body = body()
	return index
}

// funcType appends a function type and returns its index.
func (w *rewriter) funcType(params, results []byte) uint32 {
	w.out.types = append(w.out.types, funcType{params: params, results: results})
	return uint32(len(w.out.types) - 1)
}

// code returns the bodies of all functions. It refuses one that would cost too much
// to compile.
func (w *rewriter) code() ([]byte, error) {
	var total int
	for i := range w.m.bodies {
		total += len(w.m.bodies[i].code)
	}
	out := make([]byte, 0, total+total/4)
	var one []byte
	for i := range w.m.bodies {
		if w.plan.Plain {
			one = append(append(one[:0], w.m.bodies[i].locals...), w.m.bodies[i].code...)
		} else {
			one = w.meter(one[:0], i)
		}
		if w.err != nil {
			return nil, w.err
		}
		if err := w.out.checkCost(one, w.m.types[w.m.functions[i]]); err != nil {
			return nil, fmt.Errorf("function %d: %w", i+len(w.m.importedFunctions), err)
		}
		out = appendBytes(out, one)
	}
	for _, f := range w.added {
		out = appendBytes(out, f.body)
	}
	return out, nil
}

func (w *rewriter) typeSection(out []byte) []byte {
	var b []byte
	for _, t := range w.out.types {
		b = appendBytes(append(b, 0x60), t.params)
		b = appendBytes(b, t.results)
	}
	return appendSection(out, sectionType, len(w.out.types), b)
}

func (w *rewriter) importSection(out []byte) []byte {
	var b []byte
	n := len(w.m.imports)
	for _, im := range w.m.imports {
		b = append(appendName(appendName(b, im.module), im.name), im.desc...)
	}
	if !w.plan.Plain {
		n++
		b = append(appendName(appendName(b, ImportModule), ImportYield), kindFunction)
		b = appendU32(b, w.out.importedFunctions[w.yield])
	}
	return appendSection(out, sectionImport, n, b)
}

func (w *rewriter) functionSection(out []byte) []byte {
	var b []byte
	for _, t := range w.out.functions {
		b = appendU32(b, t)
	}
	return appendSection(out, sectionFunction, len(w.out.functions), b)
}

func (w *rewriter) tableSection(out []byte) []byte {
	var b []byte
	for _, t := range w.m.tables {
		b = appendLimits(append(b, t.ref), t.min, &t.max)
	}
	return appendSection(out, sectionTable, len(w.m.tables), b)
}

func (w *rewriter) memorySection(out []byte) []byte {
	var b []byte
	for _, mem := range w.m.memories {
		high := mem.max
		if limit := uint32(min(w.m.limits.MemoryPages, maxPages)); limit < maxPages && (high == nil || *high > limit) {
			high = &limit
		}
		b = appendLimits(b, mem.min, high)
	}
	return appendSection(out, sectionMemory, len(w.m.memories), b)
}

func (w *rewriter) globalSection(out []byte) []byte {
	var b []byte
	n := len(w.m.globals)
	for _, g := range w.m.globals {
		b = append(b, g.typ, 0)
		if g.mutable {
			b[len(b)-1] = 1
		}
		b = append(b, w.constant(g.init)...)
	}
	if !w.plan.Plain {
		n++
		b = append(b, typeI64, 1, opI64Const, 0, opEnd)
	}
	return appendSection(out, sectionGlobal, n, b)
}

// constant returns a constant expression with its functions moved.
func (w *rewriter) constant(expr []byte) []byte {
	d := decoder{reader: &reader{b: expr}, m: w.m}
	var out []byte
	for d.more() {
		in := d.next()
		if in.op == opRefFunc {
			out = appendU32(append(out, opRefFunc), w.function(in.a))
			continue
		}
		out = append(out, expr[in.start:in.end]...)
	}
	return out
}

func (w *rewriter) exportSection(out []byte) []byte {
	var b []byte
	n := 0
	add := func(name string, kind byte, index uint32) {
		b = appendU32(append(appendName(b, name), kind), index)
		n++
	}
	for _, e := range w.m.exports {
		if e.kind == kindFunction {
			e.index = w.function(e.index)
		}
		add(e.name, e.kind, e.index)
	}
	if !w.plan.Plain {
		add(ExportBudget, kindGlobal, w.budget)
	}
	if w.plan.Frozen {
		for i, g := range w.m.globals {
			if g.mutable {
				add(frozenName(i), kindGlobal, uint32(len(w.m.importedGlobals)+i))
			}
		}
	}
	return appendSection(out, sectionExport, n, b)
}

func (w *rewriter) elementSection(out []byte) []byte {
	var b []byte
	for _, e := range w.m.elements {
		b = appendU32(b, e.flags)
		if e.flags&1 == 0 {
			if e.flags&2 != 0 {
				b = appendU32(b, e.table)
			}
			b = append(b, w.constant(e.offset)...)
		}
		if e.flags&3 != 0 {
			b = append(b, e.typ)
		}
		b = appendU32(b, uint32(len(e.funcs)+len(e.exprs)))
		for _, f := range e.funcs {
			b = appendU32(b, w.function(f))
		}
		for _, x := range e.exprs {
			b = append(b, w.constant(x)...)
		}
	}
	return appendSection(out, sectionElement, len(w.m.elements), b)
}

func (w *rewriter) dataSection(out []byte) []byte {
	var size int
	for i := range w.m.data {
		size += len(w.m.data[i].bytes) + 16
	}
	b := make([]byte, 0, size)
	for _, d := range w.m.data {
		b = appendU32(b, d.flags)
		if d.flags == 2 {
			b = append(b, 0) // the memory
		}
		if d.flags != 1 {
			b = append(b, w.constant(d.offset)...)
		}
		b = appendBytes(b, d.bytes)
	}
	return appendSection(out, sectionData, len(w.m.data), b)
}

// nameSection appends the names of functions (7.4.1) under their new indices, the
// added ones too.
func (w *rewriter) nameSection(out []byte) []byte {
	if w.m.names == nil {
		return out
	}
	var b []byte
	n := 0
	for _, f := range w.m.names {
		if int(f.index) >= len(w.m.importedFunctions) && int(f.index) < w.m.functionCount() {
			b = appendName(appendU32(b, w.function(f.index)), f.name)
			n++
		}
	}
	names := append(appendU32(nil, uint32(n)), b...)
	content := append(appendName(nil, "name"), 1)
	content = appendBytes(content, names)
	return appendBytes(append(out, sectionCustom), content)
}

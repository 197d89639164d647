package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Reserved begins the names of imports and exports that a rewritten module has for
// the host; a module that uses it itself is refused.
const Reserved = "ohhost_meter"

// Section ids (5.5.2).
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

// order is where a section stands; that of the data count is not its id (5.5.2).
var order = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5, sectionGlobal: 6,
	sectionExport: 7, sectionStart: 8, sectionElement: 9, sectionDataCount: 10, sectionCode: 11, sectionData: 12,
}

var sectionNames = [...]string{
	"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count",
}

// Parse reads a module and checks it against limits; nil means the defaults. The
// module must not be changed while the result is in use. Errors: one that Is or As
// a *LimitError, or one that says in which section what is malformed or not
// supported.
func Parse(wasm []byte, limits *Limits) (*Module, error) {
	m := &Module{limits: limits.defaults()}
	if len(wasm) > m.limits.Size {
		return nil, &LimitError{What: "bytes of the module", Have: uint64(len(wasm)), Max: uint64(m.limits.Size)}
	}
	if !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		return nil, errors.New("not a WebAssembly module")
	}
	if !bytes.HasPrefix(wasm[4:], []byte("\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly core module of version 1 (components are not supported)")
	}
	r := &reader{b: wasm, at: 8}
	for last := 0; r.more(); {
		id := r.byte()
		section := &reader{b: r.take(r.u32())}
		if r.err != nil {
			return nil, errors.New("the module is cut short")
		}
		if int(id) >= len(sectionNames) {
			return nil, fmt.Errorf("section %d is not supported", id)
		}
		if id != sectionCustom {
			if order[id] <= last {
				return nil, fmt.Errorf("section %s is out of order", sectionNames[id])
			}
			last = order[id]
		}
		if err := m.section(id, section); err != nil {
			return nil, fmt.Errorf("section %s: %w", sectionNames[id], err)
		}
	}
	if len(m.functions) != len(m.bodies) {
		return nil, fmt.Errorf("%d functions have %d bodies", len(m.functions), len(m.bodies))
	}
	if m.dataCount != nil && int(*m.dataCount) != len(m.data) {
		return nil, fmt.Errorf("%d data segments are announced, there are %d", *m.dataCount, len(m.data))
	}
	if err := m.scanCode(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Module) section(id byte, r *reader) error {
	switch id {
	case sectionCustom:
		m.parseCustom(r)
		return r.err
	case sectionType:
		m.parseTypes(r)
	case sectionImport:
		m.parseImports(r)
	case sectionFunction:
		for n := r.count("functions", m.limits.Functions); n > 0 && r.err == nil; n-- {
			m.functions = append(m.functions, r.index("type", len(m.types)))
		}
	case sectionTable:
		for n := r.count("tables", m.limits.Tables); n > 0 && r.err == nil; n-- {
			m.tables = append(m.tables, m.parseTable(r))
		}
		m.checkTables(r)
	case sectionMemory:
		for n := r.count("memories", 1); n > 0 && r.err == nil; n-- {
			m.memories = append(m.memories, m.parseMemory(r))
		}
		if m.memoryCount() > 1 {
			r.fail(&LimitError{What: "memories", Have: uint64(m.memoryCount()), Max: 1})
		}
	case sectionGlobal:
		mutable := 0
		for n := r.count("globals", m.limits.Globals); n > 0 && r.err == nil; n-- {
			g := m.parseGlobalType(r)
			g.init = m.constant(r, m.globalCount())
			m.globals = append(m.globals, g)
			if g.mutable {
				mutable++
			}
		}
		if mutable > m.limits.Mutable {
			r.fail(&LimitError{What: "mutable globals", Have: uint64(mutable), Max: uint64(m.limits.Mutable)})
		}
	case sectionExport:
		m.parseExports(r)
	case sectionStart:
		f := r.index("function", m.functionCount())
		m.start = &f
	case sectionElement:
		m.parseElements(r)
	case sectionDataCount:
		n := r.u32()
		m.dataCount = &n
		if uint64(n) > uint64(m.limits.Segments) {
			r.fail(&LimitError{What: "data segments", Have: uint64(n), Max: uint64(m.limits.Segments)})
		}
	case sectionCode:
		m.parseBodies(r)
	case sectionData:
		m.parseData(r)
	}
	if r.err == nil && r.at != len(r.b) {
		r.fail(fmt.Errorf("%d bytes too many", len(r.b)-r.at))
	}
	return r.err
}

// parseTypes reads 5.5.4.
func (m *Module) parseTypes(r *reader) {
	for n := r.count("types", m.limits.Types); n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != 0x60 && r.err == nil {
			r.fail(fmt.Errorf("a type of form %#x is not supported", form))
		}
		m.types = append(m.types, funcType{params: m.parseValueTypes(r), results: m.parseValueTypes(r)})
	}
}

func (m *Module) parseValueTypes(r *reader) []byte {
	types := r.take(uint32(r.count("parameters or results of a function type", m.limits.Values)))
	for _, t := range types {
		if !isValueType(t) {
			r.fail(fmt.Errorf("value type %#x is not supported", t))
		}
	}
	return types
}

func isValueType(t byte) bool { return t >= typeV128 && t <= typeI32 || isRefType(t) }
func isRefType(t byte) bool   { return t == typeFunc || t == typeExtern }

// parseImports reads 5.5.5.
func (m *Module) parseImports(r *reader) {
	for n := r.count("imports", m.limits.Imports); n > 0 && r.err == nil; n-- {
		im := imported{module: r.name(), name: r.name()}
		if strings.HasPrefix(im.module, Reserved) {
			r.fail(fmt.Errorf("the module imports %.100q from %.100q; names that begin with %s are the host's own", im.name, im.module, Reserved))
		}
		begin := r.at
		switch im.kind = r.byte(); im.kind {
		case kindFunction:
			m.importedFunctions = append(m.importedFunctions, r.index("type", len(m.types)))
		case kindTable:
			m.importedTables = append(m.importedTables, m.parseTable(r))
		case kindMemory:
			m.parseMemory(r)
			m.importedMemories++
		case kindGlobal:
			m.importedGlobals = append(m.importedGlobals, m.parseGlobalType(r))
		default:
			r.fail(fmt.Errorf("an import of kind %d is not supported", im.kind))
		}
		if r.err == nil {
			im.desc = r.b[begin:r.at]
			m.imports = append(m.imports, im)
		}
	}
}

// parseLimits reads 5.3.7; there is no shared memory.
func parseLimits(r *reader) (low uint32, high *uint32) {
	flag := r.byte()
	low = r.u32()
	switch flag {
	case 0:
	case 1:
		v := r.u32()
		high = &v
		if v < low {
			r.fail(fmt.Errorf("a maximum of %d is below the minimum of %d", v, low))
		}
	default:
		r.fail(fmt.Errorf("limits of form %#x are not supported", flag))
	}
	return low, high
}

func (m *Module) parseTable(r *reader) table {
	t := table{ref: r.byte(), max: math.MaxUint32}
	if !isRefType(t.ref) {
		r.fail(fmt.Errorf("a table of type %#x is not supported", t.ref))
	}
	low, high := parseLimits(r)
	t.min = low
	if high != nil {
		t.max = *high
	}
	return t
}

// checkTables lowers the maxima so that all tables together stay in the limit.
// table.grow then fails as it may (4.4.10).
func (m *Module) checkTables(r *reader) {
	left := int64(m.limits.TableElements)
	for _, t := range m.tables {
		left -= int64(t.min)
	}
	if left < 0 {
		r.fail(&LimitError{What: "table elements", Have: uint64(int64(m.limits.TableElements) - left), Max: uint64(m.limits.TableElements)})
	}
	for i := range m.tables {
		t := &m.tables[i]
		t.max = uint32(min(int64(t.max), int64(t.min)+left/int64(len(m.tables))))
	}
}

// maxPages is how large a memory can be, in pages of 64 KiB (3.2.5).
const maxPages = 1 << 16

func (m *Module) parseMemory(r *reader) memory {
	var mem memory
	mem.min, mem.max = parseLimits(r)
	if mem.min > maxPages || mem.max != nil && *mem.max > maxPages {
		r.fail(errors.New("a memory of more than 65536 pages"))
	}
	if int64(mem.min) > int64(m.limits.MemoryPages) {
		r.fail(&LimitError{What: "memory pages of 64 KiB", Have: uint64(mem.min), Max: uint64(m.limits.MemoryPages)})
	}
	return mem
}

func (m *Module) parseGlobalType(r *reader) global {
	g := global{typ: r.byte()}
	if !isValueType(g.typ) {
		r.fail(fmt.Errorf("a global of type %#x is not supported", g.typ))
	}
	switch mutable := r.byte(); mutable {
	case 0:
	case 1:
		g.mutable = true
	default:
		r.fail(fmt.Errorf("a global of mutability %d is not supported", mutable))
	}
	return g
}

// parseExports reads 5.5.10.
func (m *Module) parseExports(r *reader) {
	seen := map[string]bool{}
	for n := r.count("exports", m.limits.Exports); n > 0 && r.err == nil; n-- {
		e := export{name: r.name(), kind: r.byte()}
		switch e.kind {
		case kindFunction:
			e.index = r.index("function", m.functionCount())
		case kindTable:
			e.index = r.index("table", m.tableCount())
		case kindMemory:
			e.index = r.index("memory", m.memoryCount())
		case kindGlobal:
			e.index = r.index("global", m.globalCount())
		default:
			r.fail(fmt.Errorf("an export of kind %d is not supported", e.kind))
		}
		if strings.HasPrefix(e.name, Reserved) {
			r.fail(fmt.Errorf("the module exports %.100q; names that begin with %s are the host's own", e.name, Reserved))
		}
		if seen[e.name] {
			r.fail(fmt.Errorf("the module exports %.100q twice", e.name))
		}
		seen[e.name] = true
		m.exports = append(m.exports, e)
	}
}

// parseElements reads 5.5.12.
func (m *Module) parseElements(r *reader) {
	total := 0
	for n := r.count("element segments", m.limits.Segments); n > 0 && r.err == nil; n-- {
		e := element{flags: r.u32()}
		if e.flags > 7 {
			r.fail(fmt.Errorf("an element segment of form %d is not supported", e.flags))
		}
		if e.flags&1 == 0 { // active
			if e.flags&2 != 0 {
				e.table = r.u32()
			}
			if r.err == nil && int(e.table) >= m.tableCount() {
				r.fail(fmt.Errorf("table %d does not exist", e.table))
			}
			e.offset = m.constant(r, m.globalCount())
		}
		if e.flags&3 != 0 {
			e.typ = r.byte()
		}
		k := r.count("elements of segments", m.limits.TableElements)
		if total += k; total > m.limits.TableElements {
			r.fail(&LimitError{What: "elements of segments", Have: uint64(total), Max: uint64(m.limits.TableElements)})
		}
		for ; k > 0 && r.err == nil; k-- {
			if e.flags&4 != 0 {
				e.exprs = append(e.exprs, m.constant(r, m.globalCount()))
			} else {
				e.funcs = append(e.funcs, r.index("function", m.functionCount()))
			}
		}
		m.elements = append(m.elements, e)
	}
}

// parseBodies reads 5.5.13.
func (m *Module) parseBodies(r *reader) {
	n := r.count("functions", m.limits.Functions)
	if r.err == nil && n != len(m.functions) {
		r.fail(fmt.Errorf("%d functions have %d bodies", len(m.functions), n))
		return
	}
	m.bodies = make([]body, 0, n)
	for i := range n {
		size := r.u32()
		if r.err == nil && uint64(size) > uint64(m.limits.Body) {
			r.fail(&LimitError{What: "bytes of one function", Have: uint64(size), Max: uint64(m.limits.Body)})
		}
		f := &reader{b: r.take(size)}
		if r.err != nil {
			return
		}
		b := m.parseLocals(f, len(m.types[m.functions[i]].params))
		if f.err != nil {
			r.fail(fmt.Errorf("function %d: %w", i, f.err))
			return
		}
		b.code = f.b[f.at:]
		m.bodies = append(m.bodies, b)
	}
}

func (m *Module) parseLocals(r *reader, params int) body {
	total := uint64(params)
	for n := r.count("locals", m.limits.Locals); n > 0 && r.err == nil; n-- {
		total += uint64(r.u32())
		if t := r.byte(); !isValueType(t) && r.err == nil {
			r.fail(fmt.Errorf("a local of type %#x is not supported", t))
		}
		if total > uint64(m.limits.Locals) {
			r.fail(&LimitError{What: "locals of one function", Have: total, Max: uint64(m.limits.Locals)})
		}
	}
	return body{locals: r.b[:r.at], count: int(total)}
}

// parseData reads 5.5.14.
func (m *Module) parseData(r *reader) {
	n := r.count("data segments", m.limits.Segments)
	m.data = make([]data, 0, n)
	for ; n > 0 && r.err == nil; n-- {
		d := data{flags: r.u32()}
		switch d.flags {
		case 0:
			d.offset = m.constant(r, m.globalCount())
		case 1:
		case 2:
			r.index("memory", 1)
			d.offset = m.constant(r, m.globalCount())
		default:
			r.fail(fmt.Errorf("a data segment of form %d is not supported", d.flags))
		}
		d.bytes = r.take(r.u32())
		m.data = append(m.data, d)
	}
}

package instrument

import "slices"

// A Module is a parsed module. It refers to the bytes that it was parsed from.
type Module struct {
	limits Limits

	types     []funcType
	imports   []imported
	functions []uint32 // type of each defined function
	tables    []table
	memories  []memory
	globals   []global
	exports   []export
	start     *uint32
	elements  []element
	dataCount *uint32
	bodies    []body
	data      []data
	names     []functionName

	// Index spaces begin with what is imported (2.5.1).
	importedFunctions []uint32 // types
	importedTables    []table
	importedMemories  int
	importedGlobals   []global

	scan scan // what the code was found to do
}

type funcType struct{ params, results []byte } // value types (5.3.5)

type imported struct {
	module, name string
	kind         byte
	desc         []byte // encoded, with the kind
}

type table struct {
	ref byte
	min uint32
	max uint32 // MaxUint32 where none is declared
}

type memory struct {
	min uint32
	max *uint32
}

type global struct {
	typ     byte
	mutable bool
	init    []byte // constant expression, encoded with its end
}

type export struct {
	name  string
	kind  byte
	index uint32
}

// An element segment (5.5.12).
type element struct {
	flags  uint32
	table  uint32
	offset []byte
	typ    byte     // element kind or reference type, if flags say that there is one
	funcs  []uint32 // or
	exprs  [][]byte
}

// A data segment (5.5.14).
type data struct {
	flags  uint32
	offset []byte
	bytes  []byte
}

type body struct {
	locals []byte // the declarations, encoded
	count  int    // of locals, parameters included
	code   []byte // with the last end
}

type functionName struct {
	index uint32
	name  string
}

// Kinds of imports and exports (5.5.5, 5.5.10).
const (
	kindFunction = 0
	kindTable    = 1
	kindMemory   = 2
	kindGlobal   = 3
)

// Value types (5.3.1 to 5.3.4).
const (
	typeI32    = 0x7f
	typeI64    = 0x7e
	typeF32    = 0x7d
	typeF64    = 0x7c
	typeV128   = 0x7b
	typeFunc   = 0x70
	typeExtern = 0x6f
)

func (m *Module) functionCount() int { return len(m.importedFunctions) + len(m.functions) }
func (m *Module) tableCount() int    { return len(m.importedTables) + len(m.tables) }
func (m *Module) globalCount() int   { return len(m.importedGlobals) + len(m.globals) }
func (m *Module) memoryCount() int   { return m.importedMemories + len(m.memories) }

// functionType returns the type of a function; the index is in range.
func (m *Module) functionType(index uint32) uint32 {
	if n := len(m.importedFunctions); int(index) >= n {
		return m.functions[int(index)-n]
	}
	return m.importedFunctions[index]
}

func (m *Module) tableType(index uint32) byte {
	if n := len(m.importedTables); int(index) >= n {
		return m.tables[int(index)-n].ref
	}
	return m.importedTables[index].ref
}

// HasStart reports whether the module has a start function (5.5.11), which a host
// that sets up limits after instantiation does not want to run.
func (m *Module) HasStart() bool { return m.start != nil }

// Import is something that a module imports.
type Import struct {
	Module, Name string
	Kind         string // function, table, memory or global
}

// An Export is something that a module exports.
type Export struct {
	Name string
	Kind string // function, table, memory or global
}

var kindNames = [...]string{kindFunction: "function", kindTable: "table", kindMemory: "memory", kindGlobal: "global"}

// Imports returns what the module imports, in its order.
func (m *Module) Imports() []Import {
	list := make([]Import, len(m.imports))
	for i, im := range m.imports {
		list[i] = Import{Module: im.module, Name: im.name, Kind: kindNames[im.kind]}
	}
	return list
}

// Exports returns what the module exports, in its order.
func (m *Module) Exports() []Export {
	list := make([]Export, len(m.exports))
	for i, e := range m.exports {
		list[i] = Export{Name: e.name, Kind: kindNames[e.kind]}
	}
	return list
}

// exported returns the export of that name.
func (m *Module) exported(name string) *export {
	i := slices.IndexFunc(m.exports, func(e export) bool { return e.name == name })
	if i < 0 {
		return nil
	}
	return &m.exports[i]
}

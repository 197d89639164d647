package instrument_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/instrument"
	w "github.com/ohhost/ohhost/internal/wasmgen"
)

// built returns the module that build makes of an empty one with type 0, () -> ().
func built(build func(b *w.Builder)) []byte {
	b := w.New()
	b.Type(nil, nil)
	build(b)
	return b.Bytes()
}

// TestR5Limits sets each limit to what a module has, which then passes, and to one
// less.
func TestR5Limits(t *testing.T) {
	type limits = instrument.Limits
	locals := func(n ...uint32) (list []w.Locals) {
		for _, k := range n {
			list = append(list, w.Locals{N: k, Type: w.I32})
		}
		return list
	}
	tests := []struct {
		name  string
		build func(b *w.Builder)
		field func(l *limits) *int
		have  int
		want  string
	}{
		{"Size", func(b *w.Builder) {}, func(l *limits) *int { return &l.Size }, 14, "bytes of the module: 14, at most 13 are accepted"},
		{"Types", func(b *w.Builder) { b.Type(nil, nil) }, func(l *limits) *int { return &l.Types }, 2, "section type: types: 2, at most 1 are accepted"},
		{"Values, parameters", func(b *w.Builder) { b.Type([]byte{w.I32, w.I64, w.V128}, nil) }, func(l *limits) *int { return &l.Values }, 3,
			"section type: parameters or results of a function type: 3, at most 2 are accepted"},
		{"Values, results", func(b *w.Builder) { b.Type(nil, []byte{w.I32, w.I64, w.V128}) }, func(l *limits) *int { return &l.Values }, 3,
			"section type: parameters or results of a function type: 3, at most 2 are accepted"},
		{"Imports", func(b *w.Builder) {
			for range 3 {
				b.Import("a", "b", w.KindFunc, w.U32(0))
			}
		}, func(l *limits) *int { return &l.Imports }, 3, "section import: imports: 3, at most 2 are accepted"},
		{"Functions", func(b *w.Builder) { b.Funcs(3, 0, nil) }, func(l *limits) *int { return &l.Functions }, 3,
			"section function: functions: 3, at most 2 are accepted"},
		{"Body", func(b *w.Builder) { b.Func(0, nil, w.Times(98, []byte{w.Nop})) }, func(l *limits) *int { return &l.Body }, 100,
			"section code: bytes of one function: 100, at most 99 are accepted"},
		{"Locals", func(b *w.Builder) { b.Func(b.Type([]byte{w.I32}, nil), locals(3, 4)) }, func(l *limits) *int { return &l.Locals }, 8,
			"section code: function 0: locals of one function: 8, at most 7 are accepted"},
		{"Locals, groups of none", func(b *w.Builder) { b.Func(0, locals(0, 0, 0)) }, func(l *limits) *int { return &l.Locals }, 3,
			"section code: function 0: locals: 3, at most 2 are accepted"},
		{"Nesting", func(b *w.Builder) { b.Func(0, nil, w.Times(5, loop), w.Times(5, end)) }, func(l *limits) *int { return &l.Nesting }, 5,
			"function 0: nested blocks: 5, at most 4 are accepted"},
		{"BranchTargets", func(b *w.Builder) { b.Func(0, nil, w.I32Const(0), w.Targets(7, 0)) }, func(l *limits) *int { return &l.BranchTargets }, 7,
			"function 0: at byte 2: targets of one br_table: 7, at most 6 are accepted"},
		{"Tables", func(b *w.Builder) { b.Table(w.FuncRef, w.Limits(1)); b.Table(w.FuncRef, w.Limits(1)) }, func(l *limits) *int { return &l.Tables }, 2,
			"section table: tables: 2, at most 1 are accepted"},
		{"TableElements", func(b *w.Builder) { b.Table(w.FuncRef, w.Limits(10)); b.Table(w.ExternRef, w.Limits(11)) }, func(l *limits) *int { return &l.TableElements }, 21,
			"section table: table elements: 21, at most 20 are accepted"},
		{"TableElements, of a segment", func(b *w.Builder) {
			f := b.Func(0, nil)
			b.Table(w.FuncRef, w.Limits(1))
			b.Elem(w.I32Const(0), f, f, f)
		}, func(l *limits) *int { return &l.TableElements }, 3, "section element: elements of segments: 3, at most 2 are accepted"},
		{"TableElements, of all segments", func(b *w.Builder) {
			f := b.Func(0, nil)
			b.Table(w.FuncRef, w.Limits(1))
			b.Elem(w.I32Const(0), f, f)
			b.Elem(w.I32Const(0), f, f, f)
		}, func(l *limits) *int { return &l.TableElements }, 5, "section element: elements of segments: 5, at most 4 are accepted"},
		{"MemoryPages", func(b *w.Builder) { b.Memory(w.Limits(7)) }, func(l *limits) *int { return &l.MemoryPages }, 7,
			"section memory: memory pages of 64 KiB: 7, at most 6 are accepted"},
		{"MemoryPages, imported", func(b *w.Builder) { b.Import("a", "b", w.KindMemory, w.Limits(7)) }, func(l *limits) *int { return &l.MemoryPages }, 7,
			"section import: memory pages of 64 KiB: 7, at most 6 are accepted"},
		{"Globals", func(b *w.Builder) {
			b.Repeat(w.SectionGlobal, 3, slices.Concat(w.GlobalType(w.I32, true), w.I32Const(0), end))
		}, func(l *limits) *int { return &l.Globals }, 3, "section global: globals: 3, at most 2 are accepted"},
		{"Exports", func(b *w.Builder) {
			f := b.Func(0, nil)
			b.Export("a", w.KindFunc, f)
			b.Export("b", w.KindFunc, f)
		}, func(l *limits) *int { return &l.Exports }, 2, "section export: exports: 2, at most 1 are accepted"},
		{"Segments, elements", func(b *w.Builder) {
			b.Table(w.FuncRef, w.Limits(1))
			b.Elem(w.I32Const(0))
			b.Elem(w.I32Const(0))
		}, func(l *limits) *int { return &l.Segments }, 2, "section element: element segments: 2, at most 1 are accepted"},
		{"Segments, data", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Data(w.I32Const(0), nil)
			b.Data(w.I32Const(0), nil)
		}, func(l *limits) *int { return &l.Segments }, 2, "section data: data segments: 2, at most 1 are accepted"},
		{"Segments, announced", func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.DataCount(2)
			b.Data(w.I32Const(0), nil)
			b.Data(w.I32Const(0), nil)
		}, func(l *limits) *int { return &l.Segments }, 2, "section data count: data segments: 2, at most 1 are accepted"},
	}
	v := newValidator(t)
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			wasm := built(c.build)
			var l limits
			*c.field(&l) = c.have
			require.NoError(t, v.validate(rewritten(t, wasm, &l)))
			*c.field(&l)--
			_, err := instrument.Parse(wasm, &l)
			require.EqualError(t, err, c.want)
			var limit *instrument.LimitError
			require.True(t, errors.As(err, &limit))
			require.EqualValues(t, c.have, limit.Have)
			require.EqualValues(t, c.have-1, limit.Max)
		})
	}
}

// TestR5DefaultLimits has modules that are over the defaults.
func TestR5DefaultLimits(t *testing.T) {
	constant := slices.Concat(w.GlobalType(w.I32, true), w.I32Const(0), end)
	tests := map[string]func(b *w.Builder){
		"bytes of the module: 67108885, at most 67108864 are accepted": func(b *w.Builder) {
			b.Custom("x", make([]byte, 64<<20))
		},
		"section type: types: 5001, at most 5000 are accepted":                                    func(b *w.Builder) { b.Repeat(w.SectionType, 5000, []byte{0x60, 0, 0}) },
		"section type: parameters or results of a function type: 129, at most 128 are accepted":   func(b *w.Builder) { b.Type(make([]byte, 129), nil) },
		"section import: imports: 1001, at most 1000 are accepted":                                func(b *w.Builder) { b.Repeat(w.SectionImport, 1001, []byte{0, 0, 0, 0}) },
		"section function: functions: 100001, at most 100000 are accepted":                        func(b *w.Builder) { b.Funcs(100_001, 0, nil) },
		"section code: bytes of one function: 1048577, at most 1048576 are accepted":              func(b *w.Builder) { b.Func(0, nil, make([]byte, 1<<20-1)) },
		"section code: function 0: locals of one function: 4294967295, at most 5000 are accepted": func(b *w.Builder) { b.Func(0, []w.Locals{{N: 1<<32 - 1, Type: w.I32}}) },
		"function 0: nested blocks: 10001, at most 10000 are accepted":                            func(b *w.Builder) { b.Func(0, nil, w.Times(10_001, block), w.Times(10_001, end)) },
		"function 0: at byte 2: targets of one br_table: 16385, at most 16384 are accepted":       func(b *w.Builder) { b.Func(0, nil, w.I32Const(0), w.Targets(16385, 0)) },
		"section table: tables: 17, at most 16 are accepted":                                      func(b *w.Builder) { b.Repeat(w.SectionTable, 17, []byte{w.FuncRef, 0, 0}) },
		"section table: table elements: 100000000, at most 262144 are accepted":                   func(b *w.Builder) { b.Table(w.FuncRef, w.Limits(100_000_000)) },
		"section memory: memory pages of 64 KiB: 65536, at most 4096 are accepted":                func(b *w.Builder) { b.Memory(w.Limits(65536)) },
		"section memory: memories: 2, at most 1 are accepted":                                     func(b *w.Builder) { b.Repeat(w.SectionMemory, 2, w.Limits(1)) },
		"section import: an import of kind 4 is not supported":                                    func(b *w.Builder) { b.Repeat(w.SectionImport, 1, []byte{0, 0, 4, 0}) },
		"section global: globals: 2001, at most 2000 are accepted":                                func(b *w.Builder) { b.Repeat(w.SectionGlobal, 2001, constant) },
		"section export: exports: 10001, at most 10000 are accepted":                              func(b *w.Builder) { b.Repeat(w.SectionExport, 10_001, []byte{0, 0, 0}) },
		"section element: element segments: 200001, at most 200000 are accepted":                  func(b *w.Builder) { b.Repeat(w.SectionElem, 200_001, []byte{1, 0, 0}) },
		"section data: data segments: 200001, at most 200000 are accepted":                        func(b *w.Builder) { b.Repeat(w.SectionData, 200_001, []byte{1, 0}) },
		"section data count: data segments: 4294967295, at most 200000 are accepted":              func(b *w.Builder) { b.DataCount(1<<32 - 1) },
	}
	for want, build := range tests {
		t.Run(want, func(t *testing.T) {
			_, err := instrument.Parse(built(build), nil)
			require.EqualError(t, err, want)
		})
	}
}

// TestR3MemoryGrows grows memories whose declared maxima are none, more, and less
// than the limit.
func TestR3MemoryGrows(t *testing.T) {
	for _, c := range []struct {
		limits []byte
		most   uint64
	}{{w.Limits(2), 10}, {w.LimitsTo(2, 65536), 10}, {w.LimitsTo(2, 5), 5}} {
		b := w.New()
		b.Memory(c.limits)
		b.Export("grow", w.KindFunc, b.Func(b.Type([]byte{w.I32}, []byte{w.I32}), nil, w.Op(w.LocalGet, 0), []byte{0x40, 0}))
		for _, e := range engines() {
			mod := instantiate(t, e.runtime(t, &meter{}), rewritten(t, b.Bytes(), &instrument.Limits{MemoryPages: 10}))
			for _, step := range []struct{ by, want uint64 }{{c.most - 1, 1<<32 - 1}, {c.most - 2, 2}, {1, 1<<32 - 1}, {0, c.most}} {
				res, err := mod.ExportedFunction("grow").Call(context.Background(), step.by)
				require.NoError(t, err)
				require.Equal(t, step.want, res[0], "%v by %d", c.limits, step.by)
			}
		}
	}
}

// TestReservedNames has modules that use the host's own names.
func TestReservedNames(t *testing.T) {
	for _, c := range []struct{ module, name, want string }{
		{"ohhost_meter", "yield", "section import: the module imports \"yield\" from \"ohhost_meter\"; names that begin with ohhost_meter are the host's own"},
		{"ohhost_meter.x", "y", "section import: the module imports \"y\" from \"ohhost_meter.x\"; names that begin with ohhost_meter are the host's own"},
		{"", "ohhost_meter.budget", `section export: the module exports "ohhost_meter.budget"; names that begin with ohhost_meter are the host's own`},
		{"", "ohhost_meter", `section export: the module exports "ohhost_meter"; names that begin with ohhost_meter are the host's own`},
	} {
		_, err := instrument.Parse(built(func(b *w.Builder) {
			if c.module != "" {
				b.Import(c.module, c.name, w.KindFunc, w.U32(0))
				return
			}
			b.Export(c.name, w.KindFunc, b.Func(0, nil))
		}), nil)
		require.EqualError(t, err, c.want)
	}
	for _, name := range []string{"ohhost_metre", "ohhost_mete", "Ohhost_meter", "x.ohhost_meter", ""} {
		wasm := built(func(b *w.Builder) {
			b.Import(name, "ohhost_meter", w.KindFunc, w.U32(0)) // a name in a module that is not the host's
			b.Export(name, w.KindFunc, 0)
		})
		_, err := instrument.Parse(wasm, nil)
		require.NoError(t, err, name)
	}
}

// TestMalformed has modules that are broken in ways that the specification's tests
// do not have, or that name what there is not.
func TestMalformed(t *testing.T) {
	section := func(id byte, content ...byte) []byte {
		return slices.Concat(w.Preamble, []byte{id}, w.U32(uint32(len(content))), content)
	}
	for _, c := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"empty", nil, "not a WebAssembly module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "not a WebAssembly core module of version 1 (components are not supported)"},
		{"preamble", []byte("\x00asm\x01\x00\x00"), "not a WebAssembly core module of version 1 (components are not supported)"},
		{"section cut short", append(section(1, 0), 3, 5, 0), "the module is cut short"},
		{"section of 4 GiB", slices.Concat(w.Preamble, []byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}), "the module is cut short"},
		{"unknown section", section(13, 0), "section 13 is not supported"},
		{"section twice", append(section(1, 0), 1, 1, 0), "section type is out of order"},
		{"data count behind code", append(section(10, 0), 12, 1, 0), "section data count is out of order"},
		{"longer than its content", section(1, 0, 0, 0), "section type: 2 bytes too many"},
		{"count of 4 G", section(1, 0xff, 0xff, 0xff, 0xff, 0x0f), "section type: types: 4294967295, at most 5000 are accepted"},
		{"more than there can be", section(1, 100), "section type: unexpected end"},
		{"name that is not UTF-8", section(7, 1, 1, 0xff, 0, 0), "section export: a name is not UTF-8"},
		{"bodies without functions", section(10, 1, 2, 0, 0x0b), "section code: 0 functions have 1 bodies"},
		{"functions without bodies", append(section(1, 1, 0x60, 0, 0), 3, 2, 1, 0), "1 functions have 0 bodies"},
		{"data without count", append(section(12, 2), 11, 1, 0), "2 data segments are announced, there are 0"},
		{"type of another form", section(1, 1, 0x5f, 0), "section type: a type of form 0x5f is not supported"},
		{"shared memory", section(5, 1, 3, 1, 1), "section memory: limits of form 0x3 are not supported"},
		{"64-bit memory", section(5, 1, 4, 1), "section memory: limits of form 0x4 are not supported"},
		{"memory above 4 GiB", section(5, 1, 1, 0, 0x81, 0x80, 0x04), "section memory: a memory of more than 65536 pages"},
		{"maximum below minimum", section(4, 1, 0x70, 1, 2, 1), "section table: a maximum of 1 is below the minimum of 2"},
		{"table with an initial value", section(4, 1, 0x40, 0, 0x70, 0, 1), "section table: a table of type 0x40 is not supported"},
		{"global of another mutability", section(6, 1, 0x7f, 2, 0x41, 0, 0x0b), "section global: a global of mutability 2 is not supported"},
		{"global of exnref", section(6, 1, 0x69, 0, 0xd0, 0x69, 0x0b), "section global: a global of type 0x69 is not supported"},
		{"a call in a constant", section(6, 1, 0x7f, 0, 0x10, 0, 0x0b), "section global: instruction 0x10 is not constant"},
		{"a global that does not exist", section(6, 1, 0x7f, 0, 0x23, 0, 0x0b), "section global: global 0 does not exist"},
		{"export twice", append(section(5, 1, 0, 0), 7, 9, 2, 1, 'a', 2, 0, 1, 'a', 2, 0), `section export: the module exports "a" twice`},
		{"export of another kind", section(7, 1, 0, 4, 0), "section export: an export of kind 4 is not supported"},
		{"export of nothing", section(7, 1, 0, 2, 0), "section export: memory 0 does not exist"},
		{"start of nothing", section(8, 0), "section start: function 0 does not exist"},
		{"segment of another form", section(9, 1, 8), "section element: an element segment of form 8 is not supported"},
		{"segment of no table", section(9, 1, 0, 0x41, 0, 0x0b, 0), "section element: table 0 does not exist"},
		{"data of another form", section(11, 1, 3), "section data: a data segment of form 3 is not supported"},
		{"data of another memory", section(11, 1, 2, 1), "section data: memory 1 does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := instrument.Parse(c.wasm, nil)
			require.EqualError(t, err, c.want)
			require.Nil(t, m)
		})
	}
}

// TestErrorsAreShort refuses a module with a name of a megabyte.
func TestErrorsAreShort(t *testing.T) {
	long := "ohhost_meter" + strings.Repeat("x", 1<<20)
	for _, wasm := range [][]byte{
		built(func(b *w.Builder) { b.Export(long, w.KindFunc, b.Func(0, nil)) }),
		built(func(b *w.Builder) { b.Import(long, long, w.KindFunc, w.U32(0)) }),
		built(func(b *w.Builder) {
			f := b.Func(0, nil)
			b.Export(long[1:], w.KindFunc, f)
			b.Export(long[1:], w.KindFunc, f)
		}),
	} {
		_, err := instrument.Parse(wasm, nil)
		require.Error(t, err)
		require.Less(t, len(err.Error()), 500)
	}
}

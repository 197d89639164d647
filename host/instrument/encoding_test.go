package instrument_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/instrument"
	"github.com/ohhost/ohhost/internal/wasmgen"
)

// codeModule is a module with one of everything whose last function, () -> (), has
// the given code, behind an instruction that makes all types fit.
func codeModule(code []byte) []byte {
	b := wasmgen.New()
	nothing := b.Type(nil, nil)
	b.Type([]byte{wasmgen.I32}, []byte{wasmgen.I32})
	b.Table(wasmgen.FuncRef, wasmgen.Limits(2))
	b.Table(wasmgen.ExternRef, wasmgen.Limits(2))
	b.Memory(wasmgen.Limits(1))
	b.Global(wasmgen.I32, true, wasmgen.I32Const(0))
	b.Func(nothing, nil)
	b.Elem(wasmgen.I32Const(0), 0)
	b.DataCount(1)
	b.Data(wasmgen.I32Const(0), []byte("x"))
	b.Func(nothing, []wasmgen.Locals{{N: 1, Type: wasmgen.I32}}, []byte{wasmgen.Unreachable}, code)
	return b.Bytes()
}

// encodings are code in odd forms. Those that say so are refused by Parse.
var encodings = []struct {
	name    string
	code    []byte
	refused string
}{
	{"call", []byte{0x10, 0x80, 0x80, 0x80, 0x80, 0}, ""},
	{"call, six bytes", []byte{0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, "a number is encoded with too many bits"},
	{"call, too many bits", []byte{0x10, 0x80, 0x80, 0x80, 0x80, 0x10}, "a number is encoded with too many bits"},
	{"i32.const", []byte{0x41, 0xff, 0xff, 0xff, 0xff, 0x7f}, ""},
	{"i32.const, the bits above the sign", []byte{0x41, 0xff, 0xff, 0xff, 0xff, 0x0f}, "a number is encoded with too many bits"},
	{"i64.const", []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, ""},
	{"i64.const, the bits above the sign", []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x3f}, "a number is encoded with too many bits"},
	{"block", []byte{0x02, 0xc0, 0x7f, 0x0b}, ""},
	{"block, five bytes", []byte{0x02, 0xc0, 0xff, 0xff, 0xff, 0x7f, 0x0b}, ""},
	{"block, the bits above the sign", []byte{0x02, 0xc0, 0xff, 0xff, 0xff, 0x2f, 0x0b}, "a number is encoded with too many bits"},
	{"block of a type", []byte{0x02, 0x80, 0x80, 0, 0x0b}, ""},
	{"block of a value type", []byte{0x02, 0xff, 0x7f, 0x41, 0, 0x0b}, ""},
	{"block of type exnref", []byte{0x02, 0x69, 0x0b}, "block type -23 is not supported"},
	{"block of a reference with a type", []byte{0x02, 0x63, 0x70, 0x0b}, "block type -29 is not supported"},
	{"loop", []byte{0x03, 0xc0, 0x7f, 0x0c, 0x80, 0, 0x0b}, ""},
	{"br_table", []byte{0x0e, 0x81, 0, 0x80, 0, 0x80, 0}, ""},
	{"call_indirect", []byte{0x11, 0x81, 0, 0x80, 0}, ""},
	{"select", []byte{0x1c, 1, 0x7f}, ""},
	{"select, a long number of types", []byte{0x1c, 0x81, 0, 0x7f}, "a select of 129 types, the first 0x0, is not supported"},
	{"select of exnref", []byte{0x1c, 1, 0x69}, "a select of 1 types, the first 0x69, is not supported"},
	{"load", []byte{0x28, 0x80, 0, 0x80, 0x80, 0x80, 0x80, 0}, ""},
	{"load of another memory", []byte{0x28, 0x42, 0, 0}, ""}, // a huge alignment, which wazero refuses
	{"memory.size", []byte{0x3f, 0x80, 0}, "memory 0 is the only one"},
	{"memory.grow", []byte{0x40, 1}, "memory 0 is the only one"},
	{"memory.copy", []byte{0xfc, 0x8a, 0x80, 0x80, 0x80, 0, 0, 0}, ""},
	{"memory.copy, another memory", []byte{0xfc, 10, 0, 0x80, 0}, "memory 0 is the only one"},
	{"memory.copy in a number of two bytes, cut to one", []byte{0xfc, 0x8a, 0x02, 0, 0}, "instruction 0xfc is not supported"},
	{"memory.init", []byte{0xfc, 8, 0x80, 0, 0}, ""},
	{"memory.init, another memory", []byte{0xfc, 8, 0, 0x80, 0}, "memory 0 is the only one"},
	{"memory.fill", []byte{0xfc, 0x8b, 0, 0}, ""},
	{"table.init", []byte{0xfc, 12, 0x80, 0, 0x80, 0}, ""},
	{"table.copy", []byte{0xfc, 14, 0x81, 0, 0x81, 0}, ""},
	{"ref.null of exnref", []byte{0xd0, 0x69}, "ref.null of type 0x69 is not supported"},
	{"ref.null of a type", []byte{0xd0, 0}, "ref.null of type 0x0 is not supported"},
	{"ref.func", []byte{0xd2, 0x80, 0}, ""},
	{"v128.const in two bytes", append([]byte{0xfd, 0x8c, 0}, make([]byte, 16)...), oddVector},
	{"i16x8.add_sat_s, two bytes", []byte{0xfd, 0x8f, 1}, ""},
	{"i16x8.add_sat_s, three bytes", []byte{0xfd, 0x8f, 0x81, 0}, oddVector},
	{"a vector instruction of more than eight bits", []byte{0xfd, 0x80, 2}, oddVector},
	{"a vector instruction, not the byte 1", []byte{0xfd, 0x8f, 0x0b}, oddVector},
	{"v128.load", []byte{0xfd, 0, 0x80, 0, 0x80, 0}, ""},
	{"v128.load8_lane", []byte{0xfd, 0x54, 0x80, 0, 0x80, 0, 15}, ""},
	{"v128.load8_lane, a long lane", []byte{0xfd, 0x54, 0, 0, 0x8f, 0}, ""}, // wazero refuses the lane
	{"atomic", []byte{0xfe, 0x10, 2, 0}, "instruction 0xfe is not supported"},
	{"throw", []byte{0x08, 0}, "instruction 0x8 is not supported"},
	{"call_ref", []byte{0x14, 0}, "instruction 0x14 is not supported"},
	{"br_on_null", []byte{0xd5, 0}, "instruction 0xd5 is not supported"},
	{"br, a label too many", []byte{0x0c, 1}, "at byte 1: label 1 does not exist"},
	{"br_if, a label too many", []byte{0x02, 0x40, 0x0d, 2, 0x0b}, "at byte 3: label 2 does not exist"},
	{"br_table, a label too many", []byte{0x0e, 2, 0, 1, 0}, "at byte 1: label 1 does not exist"},
	{"br_table, a label too many at last", []byte{0x0e, 0, 0xff, 0xff, 0xff, 0xff, 0x0f}, "at byte 1: label 4294967295 does not exist"},
	{"else of no if", []byte{0x05}, ""},
	{"code behind the end", []byte{0x0b, 0x01}, "there is code behind its end"},
	{"without the end", []byte{0x02, 0x40}, "at byte 4: unexpected end"},
	{"cut short", []byte{0x44, 0, 0, 0}, "unexpected end"},
}

const oddVector = "the number of a vector instruction is encoded in a form that is not supported"

// TestEncodings looks at forms of instructions on which parsers differ. Security: one
// that reads other instructions here than wazero does would not be metered.
func TestEncodings(t *testing.T) {
	v := newValidator(t)
	for _, e := range encodings {
		t.Run(e.name, func(t *testing.T) {
			wasm := codeModule(e.code)
			_, err := instrument.Parse(wasm, nil)
			if e.refused != "" {
				require.ErrorContains(t, err, "function 1: ")
				require.ErrorContains(t, err, e.refused)
				return
			}
			require.NoError(t, err)
			checkRewrite(t, v, wasm, nil)
		})
	}
}

// TestEveryOpcode puts each opcode, also those with a prefix, before bytes that are
// immediates of value 0, or instructions: where wazero accepts that, Parse does, and
// the module is valid after rewriting if and only if it was before. The zeros are
// written in one byte and in two.
func TestEveryOpcode(t *testing.T) {
	v := newValidator(t)
	tails := map[string][]byte{
		"zeros":      make([]byte, 18), // unreachable, as instructions
		"long zeros": append([]byte{0x80, 0, 0x80, 0, 0x80, 0}, make([]byte, 16)...),
		"labels":     append([]byte{0x40}, make([]byte, 18)...),
		"end":        {0x40, 0x0b},
		"else":       {0x40, 0x05, 0x0b},
		"type":       {0x70},
		"types":      {0x01, 0x7f},
	}
	var all [][]byte
	for n := range 256 {
		if n != 0xfc && n != 0xfd {
			all = append(all, []byte{byte(n)})
		}
	}
	for n := range uint32(512) {
		all = append(all, append([]byte{0xfc}, wasmgen.U32(n)...), append([]byte{0xfd}, wasmgen.U32(n)...),
			append([]byte{0xfd}, wasmgen.LongU32(n, 3)...), append([]byte{0xfc}, wasmgen.LongU32(n, 4)...))
	}
	accepted := map[int]int{}
	for _, op := range all {
		for name, tail := range tails {
			wasm := codeModule(append(append([]byte{}, op...), tail...))
			if v.validate(wasm) == nil && !knownDifference(op) {
				require.True(t, checkRewrite(t, v, wasm, nil), "%x, %s: wazero accepts it, Parse does not", op, name)
				accepted[int(op[0])]++
			} else {
				checkRewrite(t, v, wasm, nil)
			}
		}
	}
	require.Greater(t, len(accepted), 180)
	require.Greater(t, accepted[0xfc], 17)
	require.Greater(t, accepted[0xfd], 236)
}

// knownDifference reports whether Parse refuses code that wazero accepts: wazero takes
// one byte for the number of a vector instruction, and others for the next.
func knownDifference(op []byte) bool {
	return op[0] == 0xfd && op[1] >= 0x80 && (len(op) != 3 || op[2] != 1)
}

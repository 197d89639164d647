package wasmgen_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	g "github.com/ohhost/ohhost/internal/wasmgen"
)

// The bytes are those that wat2wasm 1.0.32 makes of the text in the comment.
func TestBytes(t *testing.T) {
	t.Parallel()
	// (module
	//   (type (func)) (type (func (param i32) (result i32)))
	//   (import "m" "f" (func (type 0)))
	//   (func (type 1) (local i64 i64) local.get 0 i32.const -129 i32.add)
	//   (table 1 2 funcref) (memory 1) (global (mut i64) i64.const 64)
	//   (export "g" (func 1)) (start 0) (elem (i32.const 0) 1) (data (i32.const 8) "hi"))
	b := g.New()
	none, one := b.Type(nil, nil), b.Type([]byte{g.I32}, []byte{g.I32})
	start := b.Import("m", "f", g.KindFunc, g.U32(none))
	f := b.Func(one, []g.Locals{{N: 2, Type: g.I64}}, g.Op(g.LocalGet, 0), g.I32Const(-129), []byte{g.I32Add})
	b.Table(g.FuncRef, g.LimitsTo(1, 2))
	b.Memory(g.Limits(1))
	b.Global(g.I64, true, g.I64Const(64))
	b.Export("g", g.KindFunc, f)
	b.Start(start)
	b.Elem(g.I32Const(0), f)
	b.Data(g.I32Const(8), []byte("hi"))
	require.Equal(t, "0061736d01000000"+
		"01090260000060017f017f"+"020701016d01660000"+"03020101"+"0405017001"+"0102"+"0503010001"+
		"0607017e0142c0000b"+"07050101670001"+"080100"+"0907010041000b0101"+
		"0a0c010a01027e200041ff7e6a0b"+"0b08010041080b026869", hex.EncodeToString(b.Bytes()))
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, g.U32(1<<32-1))
	require.Equal(t, []byte{0x83, 0x80, 0x80, 0x80, 0x80, 0x00}, g.LongU32(3, 6))
	for v, want := range map[int64]string{63: "3f", 64: "c000", -64: "40", -65: "bf7f", -1 << 63: "8080808080808080807f"} {
		require.Equal(t, want, hex.EncodeToString(g.S64(v)), v)
	}
}

// TestBombs looks after what can be said without a host: that each can be told from
// all others, is made anew each time, and is below what a host takes for too large a
// file.
func TestBombs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range g.Bombs() {
		require.NotContains(t, seen, b.Name)
		seen[b.Name] = true
		require.Contains(t, []string{"R3", "R4", "R5", "R14", "S8"}, b.Threat)
		wasm := b.Wasm()
		require.True(t, bytes.HasPrefix(wasm, g.Preamble[:4]), b.Name)
		require.Less(t, len(wasm), 64<<20, b.Name)
		require.True(t, bytes.Equal(wasm, b.Wasm()), b.Name)
	}
}

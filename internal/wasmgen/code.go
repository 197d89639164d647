package wasmgen

import (
	"bytes"
	"slices"
)

// Opcodes (5.4) that the modules of tests use most; others are written as bytes.
const (
	Unreachable  = 0x00
	Nop          = 0x01
	Block        = 0x02
	Loop         = 0x03
	If           = 0x04
	Else         = 0x05
	End          = 0x0b
	Br           = 0x0c
	BrIf         = 0x0d
	BrTable      = 0x0e
	Return       = 0x0f
	Call         = 0x10
	CallIndirect = 0x11
	Drop         = 0x1a
	Select       = 0x1b
	LocalGet     = 0x20
	LocalSet     = 0x21
	LocalTee     = 0x22
	GlobalGet    = 0x23
	GlobalSet    = 0x24
	I32Load      = 0x28
	I32Store     = 0x36
	I32Eqz       = 0x45
	I32Add       = 0x6a
	I32Mul       = 0x6c
	I32Xor       = 0x73

	Void = 0x40 // type of a block without parameters and results
)

// Locals are n locals of one type (5.5.13).
type Locals struct {
	N    uint32
	Type byte
}

// Body is an entry of the code section (5.5.13); code is without the final end.
func Body(locals []Locals, code ...[]byte) []byte {
	decl := U32(uint32(len(locals)))
	for _, l := range locals {
		decl = append(append(decl, U32(l.N)...), l.Type)
	}
	return vecOf(slices.Concat(decl, slices.Concat(code...), []byte{End}))
}

// Op is an opcode with its immediates, each an unsigned number.
func Op(code byte, immediates ...uint32) []byte {
	out := []byte{code}
	for _, v := range immediates {
		out = append(out, U32(v)...)
	}
	return out
}

// I32Const is i32.const.
func I32Const(v int32) []byte { return append([]byte{0x41}, S64(int64(v))...) }

// I64Const is i64.const.
func I64Const(v int64) []byte { return append([]byte{0x42}, S64(v)...) }

// Times is code, n times.
func Times(n int, code ...[]byte) []byte { return bytes.Repeat(slices.Concat(code...), n) }

// Targets is br_table with n targets, all label, and the default label.
func Targets(n int, label uint32) []byte {
	return slices.Concat([]byte{BrTable}, U32(uint32(n)), bytes.Repeat(U32(label), n), U32(label))
}

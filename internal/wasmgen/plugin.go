package wasmgen

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Indices of the types and functions that every Plugin has.
const (
	TypeVoid   = 0 // () -> ()
	TypeI32    = 1 // () -> i32
	TypeI32I32 = 2 // (i32) -> i32
	TypeWrite  = 3 // (i32, i32) -> ()
	TypeMore   = 4 // the first that is added

	FuncOutput = 0 // the imported ohhost_v1.output
	FuncMore   = 3 // the first that is added, where nothing more is imported
)

const pluginTexts = 1024 // where a plugin has its texts

// A Plugin is a module that fulfils the contract of ohhost_v1 (package abi): it
// describes one tool, "made", and answers each call with the text "made". What is
// added to it is all that can be wrong with it.
type Plugin struct {
	Description string           // header of the frame that describes it, where not the usual
	Answer      string           // header of its answer, where not the usual
	Imports     func(b *Builder) // made after output, before all functions
	Memory      []byte           // limits; nil is what the texts need
	Locals      []Locals         // of oh_call, behind its parameter
	Call        []byte           // code that oh_call runs before it answers
	More        func(b *Builder) // made last
}

// Builder returns the plugin's builder, for what has to be put together wrongly.
func (p *Plugin) Builder() *Builder {
	description := frame(cmp.Or(p.Description, `{"abi":"ohhost_v1","tools":[{"name":"made","description":"x","inputSchema":{"type":"object"},"annotations":{},"needs":{}}]}`))
	answer := frame(cmp.Or(p.Answer, `{"result":{"content":[{"type":"text","text":"made"}],"is_error":false}}`))
	b := New()
	b.Type(nil, nil)
	b.Type(nil, []byte{I32})
	b.Type([]byte{I32}, []byte{I32})
	b.Type([]byte{I32, I32}, nil)
	b.Import("ohhost_v1", "output", KindFunc, U32(TypeWrite))
	if p.Imports != nil {
		p.Imports(b)
	}
	memory := p.Memory
	if memory == nil {
		memory = Limits(uint32(pluginTexts+len(description)+len(answer))>>16 + 1)
	}
	b.Export("memory", KindMemory, b.Memory(memory))
	output := func(at, n int) []byte {
		return slices.Concat(I32Const(int32(at)), I32Const(int32(n)), Op(Call, FuncOutput), I32Const(0))
	}
	b.Export("oh_describe", KindFunc, b.Func(TypeI32, nil, output(pluginTexts, len(description))))
	b.Export("oh_call", KindFunc, b.Func(TypeI32I32, p.Locals, p.Call, output(pluginTexts+len(description), len(answer))))
	b.Data(I32Const(pluginTexts), slices.Concat(description, answer))
	if p.More != nil {
		p.More(b)
	}
	return b
}

// Bytes returns the module.
func (p *Plugin) Bytes() []byte { return p.Builder().Bytes() }

// frame is a frame of ohhost_v1 without attachments.
func frame(header string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

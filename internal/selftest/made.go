package selftest

import (
	"context"
	"slices"

	"github.com/ohhost/ohhost/abi"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// Plugins that are made here, see wasmgen.Plugin: their tool is called "made".

const (
	i32 = g.I32
	i64 = g.I64
)

// An imported is a function that a plugin imports.
type imported struct {
	module, name    string
	params, results []byte
}

var (
	logs    = imported{abi.Version, abi.ImportLog, []byte{i32, i32, i32}, nil}
	poll    = imported{abi.WASI, "poll_oneoff", []byte{i32, i32, i32, i32}, []byte{i32}}
	random  = imported{abi.WASI, "random_get", []byte{i32, i32}, []byte{i32}}
	fdWrite = imported{abi.WASI, "fd_write", []byte{i32, i32, i32, i32}, []byte{i32}}
	stat    = imported{abi.WASI, "path_filestat_get", []byte{i32, i32, i32, i32, i32}, []byte{i32}}
)

// imports makes functions 1, 2, … of a plugin.
func imports(list ...imported) func(b *g.Builder) {
	return func(b *g.Builder) {
		for _, im := range list {
			b.Import(im.module, im.name, g.KindFunc, g.U32(b.Type(im.params, im.results)))
		}
	}
}

// code puts pieces of code together.
func code(pieces ...[]byte) []byte { return slices.Concat(pieces...) }

// forever is a loop around code that leaves nothing on the stack.
func forever(pieces ...[]byte) []byte {
	return code([]byte{g.Loop, g.Void}, code(pieces...), g.Op(g.Br, 0), []byte{g.End})
}

// until is a loop around code that leaves an i32 on the stack, which ends when that
// is -1.
func until(pieces ...[]byte) []byte {
	return code([]byte{g.Block, g.Void, g.Loop, g.Void}, code(pieces...), num(-1), []byte{0x46 /* i32.eq */},
		g.Op(g.BrIf, 1), g.Op(g.Br, 0), []byte{g.End, g.End})
}

func num(v int32) []byte { return g.I32Const(v) }

// call calls a function with numbers.
func call(f uint32, args ...int32) (b []byte) {
	for _, a := range args {
		b = append(b, num(a)...)
	}
	return append(b, g.Op(g.Call, f)...)
}

// Instructions of more than a byte (5.4.5, 5.4.6), and what is often needed.
var (
	memorySize = []byte{0x3f, 0}
	memoryGrow = []byte{0x40, 0}
	memoryCopy = []byte{0xfc, 10, 0, 0}
	memoryFill = []byte{0xfc, 11, 0}
	tableCopy  = []byte{0xfc, 14, 0, 0}
	tableGrow  = []byte{0xfc, 15, 0}
	tableFill  = []byte{0xfc, 17, 0}
	refNull    = []byte{0xd0, g.FuncRef}
	drop       = []byte{g.Drop}
)

// bindMade binds a plugin that is made here, in a host of its own.
func (w *world) bindMade(ctx context.Context, p g.Plugin) tool.Tool {
	return w.bindMadeIn(ctx, w.host(nil), p)
}

func (w *world) bindMadeIn(ctx context.Context, h target, p g.Plugin) tool.Tool {
	return w.bind(ctx, h, p.Bytes(), "made", w.grant())
}

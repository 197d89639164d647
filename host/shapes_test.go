package host_test

import (
	"slices"
	"strings"

	g "github.com/ohhost/ohhost/internal/wasmgen"
)

// A shape is a way to keep the host busy for ever.
type shape struct {
	name string
	wasm func() []byte
}

// shapes are all ways that are known: a test that each ends at the deadline, and a
// benchmark of how much later.
func shapes() []shape {
	return slices.Concat(loopShapes(), callShapes(), bulkShapes(), hostShapes())
}

var (
	get      = func(v uint32) []byte { return g.Op(g.LocalGet, v) }
	set      = func(v uint32) []byte { return g.Op(g.LocalSet, v) }
	allPages = slices.Concat(g.I32Const(4095), memoryGrow, drop) // as the default limit allows
)

const (
	allBytes = 256 << 20
	texts    = 4096 // up to here a made plugin has its texts
)

// loopShapes have no calls. Local 1 is an i32, 2 an i64, 3 an f64.
func loopShapes() []shape {
	body := func(name string, code ...[]byte) shape {
		return shape{name, func() []byte {
			p := newMade()
			p.Locals = []g.Locals{{N: 1, Type: g.I32}, {N: 1, Type: g.I64}, {N: 1, Type: g.F64}}
			p.Call = slices.Concat(code...)
			return p.Bytes()
		}}
	}
	// next is local 1 = (local 1 + step) and the mask of all memory.
	next := func(step int32) []byte {
		return slices.Concat(get(1), g.I32Const(step), []byte{g.I32Add}, g.I32Const(allBytes-1), []byte{i32And}, set(1))
	}
	store := slices.Concat(get(1), g.I32Const(1), g.Op(g.I32Store, 0, 0))
	return []shape{
		{"memory declared as large as may be", func() []byte {
			p := newMade()
			p.Memory, p.Call = g.Limits(4096), forever()
			return p.Bytes()
		}},
		body("loop", forever()),
		body("loops in loops", forever(forever(forever()))),
		body("loop that ends, for ever", forever(g.I32Const(1000), set(1),
			while(get(1), g.I32Const(1), []byte{i32Sub}, g.Op(g.LocalTee, 1)))),
		body("long body", forever(g.Times(20_000, get(1), g.I32Const(3), []byte{g.I32Mul}, set(1)))),
		body("stores over all memory", allPages, forever(store, next(4))),
		body("stores, one a page", allPages, forever(store, next(4096))),
		body("dependent loads over all memory", allPages,
			g.I32Const(0), set(1), forever(
				get(1), g.Op(g.I32Load, 0, 0), get(1), []byte{g.I32Add}, g.I32Const(0x41c64e6d), []byte{g.I32Mul},
				g.I32Const(12345), []byte{g.I32Add}, g.I32Const(allBytes-4), []byte{i32And}, set(1))),
		body("divisions", g.I64Const(-7), set(2), forever(g.Times(100,
			g.I64Const(1), get(2), []byte{0x84}, set(2), g.I64Const(-1), get(2), []byte{0x80}, set(2)))),
		body("square roots", forever(g.Times(100, get(3), []byte{0x9f}, set(3)))),
		body("br_table", forever(
			[]byte{g.Block, g.Void, g.Block, g.Void, g.Block, g.Void}, get(1), g.I32Const(3), []byte{i32And},
			[]byte{g.BrTable, 3, 0, 1, 2, 1}, []byte{g.End, g.End, g.End}, next(1))),
		body("memory grown page by page and touched", forever(
			g.I32Const(1), memoryGrow, drop, store, memorySize, g.I32Const(16), []byte{0x74},
			g.I32Const(4), []byte{i32Sub}, set(1))),
		body("memory grown in vain", forever(g.I32Const(65535), memoryGrow, drop)),
	}
}

// callShapes keep busy by calls.
func callShapes() []shape {
	with := func(name string, call func(f uint32) []byte, more func(b *g.Builder, f, typ uint32)) shape {
		return shape{name, func() []byte {
			p := newMade()
			p.Call = call(p.more())
			p.More = func(b *g.Builder) { more(b, p.more(), p.moreType()) }
			return p.Bytes()
		}}
	}
	call := func(f uint32) []byte { return g.Op(g.Call, f) }
	once := func(f uint32) []byte { return slices.Concat(g.I32Const(60), call(f), drop) }
	minus := slices.Concat(get(0), g.I32Const(1), []byte{i32Sub})
	tree := func(f uint32) []byte {
		child := slices.Concat(minus, call(f))
		return slices.Concat(get(0), []byte{g.If, g.I32}, child, child, []byte{g.I32Add}, child, []byte{g.I32Add, g.Else}, g.I32Const(1), []byte{g.End})
	}
	indirect := slices.Concat(g.I32Const(0), g.Op(g.CallIndirect, g.TypeI32I32, 0))
	return []shape{
		with("call tree", once, func(b *g.Builder, f, _ uint32) { b.Func(g.TypeI32I32, nil, tree(f)) }),
		with("calls in a loop", func(f uint32) []byte { return forever(call(f)) },
			func(b *g.Builder, _, _ uint32) { b.Func(g.TypeVoid, nil) }),
		with("calls through a table", func(uint32) []byte { return forever(g.I32Const(1), indirect, drop) },
			func(b *g.Builder, f, _ uint32) {
				b.Func(g.TypeI32I32, nil, get(0))
				b.Table(g.FuncRef, g.Limits(1))
				b.Elem(g.I32Const(0), f)
			}),
		with("tail calls", once, func(b *g.Builder, f, _ uint32) { b.Func(g.TypeI32I32, nil, get(0), g.Op(0x12, f)) }),
		with("tail calls of each other", once, func(b *g.Builder, f, _ uint32) {
			b.Func(g.TypeI32I32, nil, get(0), g.Op(0x12, f+1))
			b.Func(g.TypeI32I32, nil, minus, g.Op(0x12, f))
		}),
		with("deep recursion, again and again", func(f uint32) []byte { return forever(g.I32Const(1000), call(f), drop) },
			func(b *g.Builder, f, _ uint32) {
				b.Func(g.TypeI32I32, nil, get(0), []byte{g.If, g.I32}, minus, call(f), []byte{g.Else}, g.I32Const(1), []byte{g.End})
			}),
		with("calls of 4000 locals", func(f uint32) []byte { return forever(call(f)) }, func(b *g.Builder, _, _ uint32) {
			b.Func(g.TypeVoid, []g.Locals{{N: 4000, Type: g.I64}},
				get(3999), g.I64Const(1), []byte{0x7c}, set(3998), forever(get(3998), []byte{0x50, g.If, g.Void, g.Return, g.End, g.Return}))
		}),
	}
}

// bulkShapes keep busy by instructions that are long in themselves.
func bulkShapes() []shape {
	body := func(name string, more func(b *g.Builder), code ...[]byte) shape {
		return shape{name, func() []byte {
			p := newMade()
			p.More = more
			p.Call = slices.Concat(code...)
			return p.Bytes()
		}}
	}
	const elements = 1 << 18 // as the default limit allows
	table := func(b *g.Builder) {
		b.Table(g.FuncRef, g.Limits(elements/2))
		b.Table(g.FuncRef, g.Limits(elements/2))
	}
	null := []byte{0xd0, g.FuncRef}
	return []shape{
		body("memory.fill", nil, allPages, forever(g.I32Const(0), g.I32Const(7), g.I32Const(allBytes), bulk(11, 0))),
		body("memory.copy", nil, allPages, forever(g.I32Const(0), g.I32Const(allBytes/2), g.I32Const(allBytes/2), bulk(10, 0, 0))),
		body("memory.copy that overlaps", nil, allPages, forever(g.I32Const(1), g.I32Const(0), g.I32Const(allBytes-1), bulk(10, 0, 0))),
		body("memory.init", func(b *g.Builder) {
			b.Repeat(g.SectionData, 1, slices.Concat([]byte{1}, g.U32(8<<20), make([]byte, 8<<20)))
			b.DataCount(2)
		}, allPages, forever(g.I32Const(texts), g.I32Const(0), g.I32Const(8<<20), bulk(8, 1, 0))),
		body("table.fill", table, forever(g.I32Const(0), null, g.I32Const(elements/2), bulk(17, 0))),
		body("table.copy", table, forever(g.I32Const(0), g.I32Const(0), g.I32Const(elements/2), bulk(14, 0, 1))),
		body("table.grow", func(b *g.Builder) { b.Table(g.FuncRef, g.Limits(1)) },
			forever(null, g.I32Const(1), bulk(15, 0), drop)),
		body("table.grow in vain", func(b *g.Builder) { b.Table(g.FuncRef, g.Limits(1)) },
			forever(null, g.I32Const(100_000_000), bulk(15, 0), drop)),
	}
}

// hostShapes have the host work or wait. 1<<20 is where they have their arguments.
func hostShapes() []shape {
	const at = 1 << 20
	body := func(name string, imports []string, code func(p *made) []byte) shape {
		return shape{name, func() []byte {
			p := newMade(imports...)
			p.Call = slices.Concat(allPages, code(p))
			return p.Bytes()
		}}
	}
	import1 := func(name string) []string { return []string{name} }
	each := func(name, imported string, args ...int32) shape {
		return body(name, import1(imported), func(p *made) []byte {
			_, short, _ := strings.Cut(imported, ".")
			code := p.call(short, args...)
			if len(signatures[imported].results) > 0 {
				code = append(code, g.Drop)
			}
			return forever(code)
		})
	}
	word := func(to, v int32) []byte { return slices.Concat(g.I32Const(to), g.I32Const(v), g.Op(g.I32Store, 0, 0)) }
	long := func(to int32, v int64) []byte {
		return slices.Concat(g.I32Const(to), g.I64Const(v), g.Op(i64Store, 0, 0))
	}
	const wasi = "wasi_snapshot_preview1."
	sleeps := func(count int32, each int64) func(p *made) []byte {
		return func(p *made) []byte {
			// The first subscriptions, 48 bytes each: a relative time of the monotonic clock.
			var code []byte
			for i := range count {
				code = slices.Concat(code, word(at+48*i+16, 1), long(at+48*i+24, each))
			}
			return slices.Concat(code, forever(p.call("poll_oneoff", at, 2*at, count, 3*at), drop))
		}
	}
	return []shape{
		{"output of nothing", func() []byte { p := newMade(); p.Call = forever(p.call("output", 0, 0)); return p.Bytes() }},
		each("input", "ohhost_v1.input", at, allBytes-at),
		each("log", "ohhost_v1.log", 2, at, 20),
		each("log of all memory", "ohhost_v1.log", 2, 0, allBytes),
		each("progress", "ohhost_v1.progress", at, 4096),
		each("invoke", "ohhost_v1.invoke", at, allBytes-at),
		each("random_get", wasi+"random_get", at, allBytes-at),
		each("random_get of nothing", wasi+"random_get", at, 0),
		each("clock_time_get", wasi+"clock_time_get", 1, 0, at),
		each("sched_yield", wasi+"sched_yield"),
		each("path_filestat_get", wasi+"path_filestat_get", 3, 1, at, 4095, 2*at),
		each("fd_readdir", wasi+"fd_readdir", 3, at, at, 0, 2*at),
		body("fd_write of all memory", import1(wasi+"fd_write"), func(p *made) []byte {
			var code []byte
			for i := range int32(16) {
				code = slices.Concat(code, word(at+8*i+4, allBytes))
			}
			return slices.Concat(code, forever(p.call("fd_write", 2, at, 1<<20, 2*at), drop))
		}),
		body("sleep of an hour", import1(wasi+"poll_oneoff"), sleeps(1, 3600e9)),
		body("naps", import1(wasi+"poll_oneoff"), sleeps(1, 1)),
		body("sleep on 100 clocks", import1(wasi+"poll_oneoff"), sleeps(100, 3600e9)),
		body("poll on as many as may be", import1(wasi+"poll_oneoff"), func(p *made) []byte {
			return forever(p.call("poll_oneoff", at, 2*at, 4096, 3*at), drop)
		}),
	}
}

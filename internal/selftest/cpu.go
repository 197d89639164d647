package selftest

import (
	"context"
	"math"
	"time"

	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

const (
	meter = "meter of the guest's code: deadline"

	// stackMax is how much memory the stack of one guest may take while it grows, in
	// bytes: the engine copies it to one of twice the size.
	stackMax = 192 << 20
)

// spinning is a plugin that never ends.
var spinning = g.Plugin{Call: forever()}

// tree is a plugin whose function calls itself twice, 60 deep, without any loop.
var tree = g.Plugin{
	Call: code(call(g.FuncMore, 60), drop),
	More: func(b *g.Builder) {
		again := code(g.Op(g.LocalGet, 0), num(-1), []byte{g.I32Add}, g.Op(g.Call, g.FuncMore))
		b.Func(g.TypeI32I32, nil, g.Op(g.LocalGet, 0), []byte{g.If, i32}, again, again, []byte{g.I32Add, g.Else}, num(1), []byte{g.End})
	},
}

// deep is a plugin that calls itself without end.
var deep = g.Plugin{
	Call: code(call(g.FuncMore, 1), drop),
	More: func(b *g.Builder) {
		b.Func(g.TypeI32I32, nil, g.Op(g.LocalGet, 0), g.Op(g.Call, g.FuncMore), g.Op(g.LocalGet, 0), []byte{g.I32Add})
	},
}

// tryR1 computes without end, in ways that are seen at different places.
func tryR1(ctx context.Context, w *world) {
	spin := w.endless(ctx, w.bindMade(ctx, spinning), "an endless loop", none)
	calls := w.endless(ctx, w.bindMade(ctx, tree), "a call tree without loops", none)
	recursive := w.bindMade(ctx, deep)
	grown := w.grows(func() {
		if e := w.call(ctx, recursive, w.hang, none); e.err == nil {
			w.through("recursion without end came to an end")
		}
	})
	w.must(ctx.Err())
	w.tooMuch(grown, stackMax, "endless recursion")
	w.alive(ctx)
	w.stopped(meter, "the loop and the call tree ended %s; recursion ended with the guest's stack", worst(spin, calls))
}

// tryR2 has single instructions do much work, and many of them.
func tryR2(ctx context.Context, w *world) {
	const pages, elements = 512, 200_000
	late := time.Duration(0)
	kinds := []struct {
		what string
		call []byte
	}{
		{"memory.fill", forever(num(0), num(1), num(pages<<16-1), memoryFill)},
		{"memory.copy", forever(num(1), num(0), num(pages<<16-1), memoryCopy)},
		{"memory.fill without a loop", g.Times(20_000, num(0), num(1), num(pages<<16-1), memoryFill)},
		{"table.fill", forever(num(0), refNull, num(elements), tableFill)},
		{"table.copy", forever(num(0), num(0), num(elements), tableCopy)},
		{"memory.grow", forever(num(0), memoryGrow, drop)},
		{"memory.grow that fails", forever(num(1<<15), memoryGrow, drop)},
		{"table.grow that fails", forever(refNull, num(1<<30), tableGrow, drop)},
	}
	for _, k := range kinds {
		b := w.bindMade(ctx, g.Plugin{Memory: g.Limits(pages), Call: k.call, More: func(b *g.Builder) { b.Table(g.FuncRef, g.Limits(elements)) }})
		late = max(late, w.endless(ctx, b, k.what, none))
	}
	w.alive(ctx)
	w.stopped(meter+"; long instructions run in pieces", "%d kinds ended %s", len(kinds), worst(late))
}

// tryR11 waits for longer than it has, and looks for a clock that goes backwards.
func tryR11(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	late := w.endless(ctx, p, "sleeping for an hour", script([]step{{op: opSleep, c: uint64(time.Hour)}}))
	var naps []step
	for range 1000 {
		naps = append(naps, step{op: opSleep, c: uint64(time.Second)})
	}
	late = max(late, w.endless(ctx, p, "sleeping again and again", script(naps)))

	const pages, many = 200, 1 << 17
	crowd := w.bindMade(ctx, g.Plugin{Memory: g.Limits(pages), Imports: imports(poll), Call: forever(call(1, many, 8<<20, many, 0), drop)})
	grown := w.grows(func() { late = max(late, w.endless(ctx, crowd, "polling 131072 things", none)) })
	w.tooMuch(grown, pages<<16, "polling")
	w.clock(ctx, p)
	w.alive(ctx)
	w.stopped("meter: sleep ends at the deadline; few subscriptions; a clock that only goes forward", "sleeping and polling ended %s", worst(late))
}

// clock judges whether a guest sees time go backwards.
func (w *world) clock(ctx context.Context, p tool.Tool) {
	if w.spoilt {
		return
	}
	var steps []step
	for range 200 {
		steps = append(steps, step{op: opClock, a: 1})
	}
	got, err := play(ctx, p, steps...)
	w.must(err)
	last := int64(math.MinInt64)
	for _, r := range got {
		if r.code < last {
			w.through("the guest's clock went backwards")
		}
		last = r.code
	}
}

// tryR12 asks for random numbers without end, and for more than fit its memory.
func tryR12(ctx context.Context, w *world) {
	late := time.Duration(0)
	kinds := []struct {
		what  string
		bytes int32
	}{{"16 MiB of random numbers, again and again", 16 << 20}, {"4 GiB of random numbers", -1}, {"none, again and again", 0}}
	for _, k := range kinds {
		b := w.bindMade(ctx, g.Plugin{Memory: g.Limits(256), Imports: imports(random), Call: forever(call(1, 0, k.bytes), drop)})
		grown := w.grows(func() { late = max(late, w.endless(ctx, b, k.what, none)) })
		w.tooMuch(grown, 16<<20, k.what)
	}
	w.alive(ctx)
	w.stopped(meter+"; random numbers come in pieces", "%d kinds ended %s", len(kinds), worst(late))
}

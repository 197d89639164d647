package selftest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// tryR3 takes memory: by growing and using it, by declaring it, by many guests.
func tryR3(ctx context.Context, w *world) {
	const pages, instances, calls = 512, 3, 12
	h := w.host(func(o *host.Options) { o.Limits.MemoryPages, o.Limits.Instances = pages, instances })
	b := w.bindMadeIn(ctx, h, g.Plugin{
		Call: until(num(0), num(7), memorySize, num(16), []byte{0x74 /* i32.shl */}, memoryFill, num(64), memoryGrow),
	})
	grown := w.grows(func() { w.call(ctx, b, 4*w.hang, none) })
	w.must(ctx.Err())
	w.tooMuch(grown, pages<<16, "a guest that may have 32 MiB")
	grown = w.grows(func() {
		var all sync.WaitGroup
		for range calls {
			all.Go(func() { _, _ = b.Call(ctx, &tool.Call{Args: none}) })
		}
		all.Wait()
	})
	w.must(ctx.Err())
	w.tooMuch(grown, instances*pages<<16, fmt.Sprintf("%d guests, of which %d may run at a time,", calls, instances))
	w.bombs(ctx, "R3")
	w.stopped("limits: pages of memory, guests at a time", "%d guests at once took %s; %s", calls, mebibytes(grown), w.detail)
}

// tryR4 takes memory that is not the guest's own: of tables.
func tryR4(ctx context.Context, w *world) {
	grown := w.grows(func() {
		for _, by := range []int32{1000, 100_000_000, -1} {
			p := g.Plugin{Call: until(refNull, num(by), tableGrow), More: func(b *g.Builder) { b.Table(g.FuncRef, g.Limits(1)) }}
			e := w.call(ctx, w.bindMade(ctx, p), w.hang, none)
			w.must(ctx.Err())
			if e.late > 0 && e.err != errHung {
				w.through("a table grew by %d elements at a time, until the deadline", by)
			}
		}
	})
	w.tooMuch(grown, 0, "a table that grows")
	w.bombs(ctx, "R4")
	w.stopped("limits: elements of tables", "growing tables took %s; %s", mebibytes(grown), w.detail)
}

// tryR5 has the host compile what takes long to compile.
func tryR5(ctx context.Context, w *world) {
	w.bombs(ctx, "R5")
	if w.spoilt {
		return
	}
	// What passes is compiled for as long as there is time.
	late, grown := w.compileUntil(ctx, g.Plugin{More: func(b *g.Builder) {
		b.Funcs(2000, g.TypeVoid, []g.Locals{{N: 100, Type: i64}}, g.Times(1000, g.Op(g.LocalGet, 7), g.Op(g.LocalSet, 9)))
	}})
	w.stopped("checker of modules: caps; compiling ends at the deadline", "%s; compiling what passes ended %s and took %s", w.detail, worst(late), mebibytes(grown))
}

// tryR14 takes stack: by recursion with much on it, through the host and not, and by
// many locals.
func tryR14(ctx context.Context, w *world) {
	const values = 100
	recursive := func(each []byte) g.Plugin {
		var keep, add []byte
		for i := range values {
			keep = append(keep, g.Op(g.LocalGet, uint32(i))...)
			add = append(append(add, g.Op(g.LocalGet, uint32(i))...), 0x7c /* i64.add */)
		}
		self := uint32(g.FuncMore + 1)
		return g.Plugin{
			Imports: imports(logs),
			Call:    code(g.Times(values, g.I64Const(1)), g.Op(g.Call, self), drop),
			More: func(b *g.Builder) {
				b.Func(b.Type(slices.Repeat([]byte{i64}, values), []byte{i64}), nil, keep, each, g.Op(g.Call, self), add)
			},
		}
	}
	most := int64(0)
	for what, each := range map[string][]byte{
		"recursion with much on the stack":  nil,
		"recursion with calls of the host":  call(1, 2, 0, 1),
		"recursion with work on the memory": code(num(0), num(1), num(1000), memoryFill),
	} {
		b := w.bindMade(ctx, recursive(each))
		grown := w.grows(func() {
			if e := w.call(ctx, b, w.hang, none); e.err == nil {
				w.through("%s came to an end", what)
			}
		})
		w.must(ctx.Err())
		w.tooMuch(grown, stackMax, what)
		most = max(most, grown)
	}
	w.bombs(ctx, "R14")
	w.stopped("limits: the guest's stack, locals of a function", "recursion took at most %s; %s", mebibytes(most), w.detail)
}

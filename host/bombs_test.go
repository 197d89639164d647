package host_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// requireBombs asserts that a host refuses all bombs of a threat, or, those that it
// may load, runs them, and keeps nothing of what it refused. It does not run beside
// other tests: the memory that it looks at is the process's.
func requireBombs(t *testing.T, threat string) {
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	before := rss()
	for i, bomb := range bombs(threat) {
		t.Run(bomb.Name, func(t *testing.T) {
			wasm := bomb.Wasm()
			if bomb.Loads {
				requireAnswers(t, bind(t, h, fmt.Sprint("bomb", i), wasm))
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), hangLimit)
			defer cancel()
			err := h.Load(ctx, "bomb", wasm, nil)
			require.ErrorContains(t, err, "load bomb: ")
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 300)
		})
	}
	requireWell(t, h)
	if before > 0 && !host.Interpreted { // the race detector keeps memory of its own for what was touched
		require.Less(t, rss(), before+400<<20)
	}
}

// Vectors R3, R4, R14: what a module may declare of memories, tables and locals.

func TestR3Declared(t *testing.T)  { requireBombs(t, "R3") }
func TestR4Declared(t *testing.T)  { requireBombs(t, "R4") }
func TestR14Declared(t *testing.T) { requireBombs(t, "R14") }

// TestS8Bombs: sections that a module should not have, or that do not fit.
func TestS8Bombs(t *testing.T) { requireBombs(t, "S8") }

// TestR5CompileBombs: of a module that takes long to compile, or is refused, the
// caller hears at its deadline, and the host can be closed while it is compiled.
func TestR5CompileBombs(t *testing.T) {
	t.Parallel()
	if host.Interpreted {
		t.Skip("the interpreter compiles in a way of its own, and takes a minute under -race")
	}
	for _, bomb := range bombs("R5") {
		t.Run(bomb.Name, func(t *testing.T) {
			wasm := bomb.Wasm()
			h, err := host.New(&host.Options{NoCache: true, StateDir: t.TempDir()})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), shortTime)
			defer cancel()
			began := time.Now()
			err = h.Load(ctx, "bomb", wasm, nil)
			require.Less(t, time.Since(began), hangLimit)
			switch {
			case err == nil:
				require.Len(t, h.Specs(), 1)
			default:
				require.ErrorContains(t, err, "load bomb: ")
				require.Empty(t, h.Specs())
			}
			require.NoError(t, h.Close(ctx))
			require.Less(t, time.Since(began), hangLimit)
		})
	}
}

// TestR5OneBuild: a hundred callers of a bomb share one compilation, and each hears
// at its own deadline.
func TestR5OneBuild(t *testing.T) {
	t.Parallel()
	if host.Interpreted {
		t.Skip("the interpreter compiles in a way of its own, and takes a minute under -race")
	}
	slow := g.Plugin{More: func(b *g.Builder) { // some seconds of compiling, within all limits
		b.Funcs(2000, g.TypeI32I32, nil, g.Times(1500, g.Op(g.LocalGet, 0), g.I32Const(3), []byte{g.I32Mul}, g.Op(g.LocalSet, 0)), g.Op(g.LocalGet, 0))
	}}
	h := newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.Instances = 100 })
	b := bind(t, h, "slow", slow.Bytes())
	goroutines := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			began := time.Now()
			_, err := call(b, shortTime)
			if took := time.Since(began); took > hangLimit {
				t.Errorf("heard after %v", took)
			}
			if err != nil && !isDeadline(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
	requireSoon(t, func() bool { return runtime.NumGoroutine() < goroutines+50 })
}

// TestR3Grown: a memory grows as far as the limit and no further, in small steps, at
// once, and for as many pages as wrap around.
func TestR3Grown(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.MemoryPages = 100 })
	grow := func(pages int32) []byte { return slices.Concat(g.I32Const(pages), memoryGrow) }
	size := slices.Concat(memorySize, back)
	for i, c := range []struct {
		name   string
		memory []byte
		code   []byte
		want   int
	}{
		{"step by step", nil, slices.Concat(growAll(1), size), 100},
		{"in large steps", nil, slices.Concat(growAll(7), size), 99},
		{"to the limit", nil, slices.Concat(grow(99), back), 1},
		{"over the limit", nil, slices.Concat(grow(100), back), -1},
		{"over 4 GiB", nil, slices.Concat(grow(65536), back), -1},
		{"by a negative number", nil, slices.Concat(grow(-1), back), -1},
		{"over its own maximum", g.LimitsTo(1, 10), slices.Concat(growAll(1), size), 10},
		{"with a maximum over the limit", g.LimitsTo(1, 65536), slices.Concat(growAll(1), size), 100},
		{"as declared", g.Limits(100), slices.Concat(growAll(1), size), 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMade()
			p.Memory, p.Call = c.memory, c.code
			name := fmt.Sprint("grown", i)
			_, err := call(bind(t, h, name, p.Bytes()), 0)
			require.EqualError(t, err, fmt.Sprintf("%s: call: oh_call returned %d", name, c.want))
		})
	}
	p := newMade()
	p.Memory = g.Limits(101)
	err := h.Load(t.Context(), "declared", p.Bytes(), nil)
	require.EqualError(t, err, "load declared: section memory: memory pages of 64 KiB: 101, at most 100 are accepted")
	requireWell(t, h)
}

// TestR3ManyInstances: calls that each take all the memory there is, many at a time,
// take no more than the instances that may run, and give it back.
func TestR3ManyInstances(t *testing.T) {
	const each, instances = 16 << 20, 4
	h := newHost(t, func(o *host.Options) {
		o.NoCache = true
		o.Limits.MemoryPages, o.Limits.Instances = each>>16, instances
	})
	p := newMade("ohhost_v1.progress")
	p.Call = slices.Concat(growAll(1), g.I32Const(1<<16), g.I32Const(7), g.I32Const(each-1<<16), bulk(11, 0), p.call("progress", 0, 0))
	b := bind(t, h, "greedy", p.Bytes())
	before, most := rss(), int64(0)
	var mu sync.Mutex
	look := func(string) {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, residentNow())
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: look}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if before == 0 {
		t.Skip("this system does not tell how much memory a process has")
	}
	// Two spares, and what was cleaned to be used again, are there beside those that run.
	require.Less(t, most, before+(instances+6)*each, "while they run")
	require.NoError(t, h.Close(t.Context()))
	require.Less(t, rss(), before+each, "afterwards")
}

// TestR3Idle: a module that declares all the memory there may be holds none of it
// between its calls.
func TestR3Idle(t *testing.T) {
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade()
	p.Memory = g.Limits(4096)
	b := bind(t, h, "idle", p.Bytes())
	before := rss()
	for range 3 {
		requireAnswers(t, b)
	}
	time.Sleep(shortTime) // for what would be made ready for the next
	require.Less(t, rss(), before+64<<20)
}

package selftest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// tryR7 opens files until it gets no more, and leaves them open, or traps.
func tryR7(ctx context.Context, w *world) {
	const limit = 64
	h := w.host(func(o *host.Options) { o.Limits.OpenFiles = limit })
	p := w.puppet(ctx, h, w.grant())
	var opens []step
	for range 4 * limit {
		opens = append(opens, step{op: opOpen, c: rightRead, one: wasiPath(filepath.Join(w.work, "control"))})
	}
	before, most := len(openFiles()), 0
	for range 3 {
		got, err := play(ctx, p, opens...)
		w.must(err)
		count := 0
		for _, r := range got {
			if r.code >= 0 {
				count++
			}
		}
		if most = max(most, count); count > limit {
			w.through("a guest had %d files open, the limit is %d", count, limit)
		}
		if e := w.call(ctx, p, w.hang, script(append(opens, step{op: opTrap}))); e.err == nil {
			w.skip("the guest did not trap")
		}
		w.must(ctx.Err())
		if left := len(openFiles()) - before; left > 0 {
			w.through("%s open after a call that did not close its files", counted(left, "file"))
			before += left
		}
	}
	if most == 0 {
		w.skip("the guest cannot open a file at all")
	}
	w.stopped("limits: open files of a guest; closed with its call", "%d of %d files were opened", most, len(opens))
}

// tryR8 makes many calls at once, and calls that are cut off in what they do.
func tryR8(ctx context.Context, w *world) {
	const instances, queue, calls = 4, 200, 1000
	h := w.host(func(o *host.Options) { o.Limits.Instances, o.Limits.Queue = instances, queue })
	b := w.bindMadeIn(ctx, h, g.Plugin{})
	p := w.puppet(ctx, h, w.grant())
	spin := w.bindMade(ctx, spinning)
	var (
		all             sync.WaitGroup
		mu              sync.Mutex
		done, busy, odd int
	)
	grown := w.grows(func() {
		for range calls {
			all.Go(func() {
				_, err := b.Call(ctx, &tool.Call{Args: none})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					done++
				case errors.Is(err, host.ErrBusy):
					busy++
				default:
					odd++
				}
			})
		}
		all.Wait()
	})
	w.must(ctx.Err())
	w.tooMuch(grown, 0, fmt.Sprintf("%d calls at once", calls))
	if odd > 0 || done < queue {
		w.through("of %d calls at once %d failed, %d were answered", calls, odd, done)
	}
	asleep := script([]step{{op: opSleep, c: uint64(time.Hour)}})
	cutOff := func(n int) {
		for i := range n {
			all.Go(func() {
				short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
				defer cancel()
				if i%2 == 0 {
					_, _ = spin.Call(short, &tool.Call{Args: none})
				} else {
					_, _ = p.Call(short, &tool.Call{Args: asleep})
				}
			})
		}
		all.Wait()
	}
	cutOff(4) // what a module needs for its instances to share is kept
	before := takeResources()
	cutOff(30)
	w.judgeLeaks(ctx, before)
	w.alive(ctx)
	w.stopped("gate: some guests run, some calls wait, one more is refused", "of %d calls at once %d were answered, %d refused; 30 that were cut off left nothing", calls, done, busy)
}

// tryR9 logs, prints and answers without end, and answers what is no good JSON.
func tryR9(ctx context.Context, w *world) {
	const lines, output, at = 100, 1 << 16, 4096
	var log lineCounter
	line := "line\n\x1b[31mred"
	b := w.bindMadeIn(ctx, w.host(func(o *host.Options) {
		o.Limits.LogLines = lines
		o.Logger = hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace})
	}), g.Plugin{
		Imports: imports(logs, fdWrite),
		Call:    forever(call(1, 2, at, int32(len(line))), call(2, 2, at+64, 1, at+80), drop),
		More: func(b *g.Builder) {
			b.Data(num(at), []byte(line))
			b.Data(num(at+64), []byte{0, 16, 0, 0, byte(len(line)), 0, 0, 0}) // the line, as WASI's iovec
		},
	})
	log.reset()
	grown := w.grows(func() { w.endless(ctx, b, "logging", none) })
	w.tooMuch(grown, 0, "logging without end")
	logged, escaped := log.seen()
	switch {
	case logged > lines+50:
		w.through("%d lines were logged, the limit is %d", logged, lines)
	case logged == 0:
		w.skip("the guest could not log")
	case escaped:
		w.through("an escape sequence of a guest is in the log")
	}
	endlessly := w.bindMade(ctx, g.Plugin{Memory: g.Limits(20), Call: forever(call(g.FuncOutput, 0, 1<<20))})
	grown = w.grows(func() {
		if e := w.call(ctx, endlessly, w.hang, none); e.err == nil {
			w.through("an answer without end came to an end")
		}
	})
	w.must(ctx.Err())
	w.tooMuch(grown, 2*abi.MaxFrame, "an answer without end")
	w.longAnswer(ctx, output)
	malformed := w.malformedAnswers(ctx)
	w.stopped("limits: lines of the log, bytes of an answer; strict JSON", "%d lines were logged, %d malformed answers refused", logged, malformed)
}

// longAnswer judges how much text of a result comes through.
func (w *world) longAnswer(ctx context.Context, output int) {
	h := w.host(func(o *host.Options) { o.Limits.Output = output })
	long := g.Plugin{Answer: `{"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 4*output) + `"}]}}`}
	e := w.call(ctx, w.bindMadeIn(ctx, h, long), w.hang, none)
	w.must(e.err)
	if n := len(e.text()); n > output+1000 {
		w.through("a result of %d bytes came through, the limit is %d", n, output)
	}
}

// malformedAnswers has guests answer JSON that readers disagree about, and judges
// that nothing of it comes through.
func (w *world) malformedAnswers(ctx context.Context) int {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	all := map[string]string{
		"a name twice":              `{"x":1,"x":2}`,
		"a name twice, once as \\u": `{"x":1,"\u0078":2}`,
		"nesting of 100000 levels":  `{"x":` + deep + `}`,
		"NaN":                       `{"x":NaN}`,
		"a number over all bounds":  `{"x":1e999}`,
		"a taken name":              `{"is_error":true}`,
		"a NUL in a name":           "{\"x\x00\":1}",
	}
	for what, fields := range all {
		e := w.call(ctx, w.bindMade(ctx, g.Plugin{Answer: `{"result":{"content":[],"fields":` + fields + `,"is_error":false}}`}), w.hang, none)
		w.must(ctx.Err())
		if e.err == nil {
			w.through("an answer with %s came through", what)
		}
	}
	flawed := g.Plugin{Answer: `{"result":{"content":[{"type":"text","text":"\ud800` + "\xff" + `"}],"fields":{"x":"\udc00"}}}`}
	if e := w.call(ctx, w.bindMade(ctx, flawed), w.hang, none); e.err == nil {
		var shown strings.Builder
		err := tool.WriteObservation(&shown, e.res)
		if text := shown.String(); err != nil || strings.ToValidUTF8(text, "") != text || strings.Contains(text, `\ud`) {
			w.through("text that is not Unicode came through")
		}
	}
	return len(all)
}

// tryR10 calls the host without end.
func tryR10(ctx context.Context, w *world) {
	const limit = 2000
	limited := func() target { return w.host(func(o *host.Options) { o.Limits.HostCalls = limit }) }
	p := w.puppet(ctx, limited(), w.grant())
	ask := request(`{"op":"stat"}`, filepath.Join(w.work, "control"))
	ask.a, ask.two = 1_000_000, "no answer has this"
	kinds := []struct {
		what string
		end  func() ending
	}{
		{"asking a service", func() ending { return w.call(ctx, p, w.hang, script([]step{ask})) }},
		{"logging", func() ending {
			return w.call(ctx, w.bindMadeIn(ctx, limited(), g.Plugin{Imports: imports(logs), Call: forever(call(1, 2, 0, 1))}), w.hang, none)
		}},
		{"looking at files over WASI", func() ending {
			return w.call(ctx, w.bindMadeIn(ctx, limited(), g.Plugin{Imports: imports(stat), Call: forever(call(1, 3, 1, 0, 1, 64), drop), More: func(b *g.Builder) { b.Data(num(0), []byte(".")) }}), w.hang, none)
		}},
	}
	for _, k := range kinds {
		e := k.end()
		w.must(ctx.Err())
		switch {
		case e.err == nil:
			w.through("%s: a million calls were answered, the limit is %d", k.what, limit)
		case errors.Is(e.err, context.DeadlineExceeded):
			w.through("%s: nothing but the deadline ended it", k.what)
		}
	}
	w.stopped("limits: calls of the host", "%d kinds ended after %d calls", len(kinds), limit)
}

// A lineCounter is a log that counts.
type lineCounter struct {
	mu      sync.Mutex
	lines   int
	escaped bool
}

// Write counts lines.
func (l *lineCounter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines += strings.Count(string(p), "\n")
	l.escaped = l.escaped || strings.Contains(string(p), "\x1b")
	return len(p), nil
}

func (l *lineCounter) seen() (lines int, escaped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines, l.escaped
}

func (l *lineCounter) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = 0
}

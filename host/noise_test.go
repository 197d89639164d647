package host_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// times repeats code n times; it uses local 1.
func times(n int32, code []byte) []byte {
	return slices.Concat(g.I32Const(n), set(1), while(code, get(1), g.I32Const(1), []byte{i32Sub}, g.Op(g.LocalTee, 1)))
}

var counter = []g.Locals{{N: 1, Type: g.I32}}

// TestR9LogFlood: of a flood of log lines as many are kept as may be, by number and
// by size, and one line says so.
func TestR9LogFlood(t *testing.T) {
	t.Parallel()
	const dropped = "further lines of this call are dropped"
	for _, c := range []struct {
		name         string
		lines, bytes int // limits
		size         int32
		want         int
	}{
		{"lines", 7, 0, 1, 7},
		{"lines without text", 7, 0, 0, 7},
		{"bytes", 0, 10_000, 100, 100},
		{"long lines are cut", 0, 10_000, 5000, 2}, // to 4 KiB each
		{"all memory in a line", 0, 10_000, 1 << 20, 2},
		{"one line over", 0, 50, 51, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log logBuffer
			h := newHost(t, func(o *host.Options) {
				o.NoCache, o.Logger = true, logger(&log)
				o.Limits.LogLines, o.Limits.LogBytes = c.lines, c.bytes
			})
			p := newMade("ohhost_v1.log")
			p.Memory, p.Locals = g.Limits(17), counter
			p.Call = times(20_000, p.call("log", 2, 0, c.size))
			b := bind(t, h, "flood", p.Bytes())
			for call := range 2 { // each has limits of its own
				requireAnswers(t, b)
				require.Equal(t, c.want*(call+1), strings.Count(log.String(), "guest: says="))
				require.Equal(t, call+1, strings.Count(log.String(), dropped))
			}
			require.Less(t, len(log.String()), 200_000, "a byte may be four as it is quoted")
		})
	}
}

// TestR9MillionLines: a million lines do not hold the call up, nor the log.
func TestR9MillionLines(t *testing.T) {
	t.Parallel()
	lines := int32(1_000_000)
	if host.Interpreted {
		lines = 50_000 // the interpreter takes a while for a million
	}
	var log logBuffer
	h := newHost(t, func(o *host.Options) { o.NoCache, o.Logger = true, logger(&log) })
	p := newMade("ohhost_v1.log", "ohhost_v1.progress")
	p.Locals = counter
	p.Call = slices.Concat(times(lines, slices.Concat(p.call("log", 4, 1024, 80), p.call("progress", 1024, 80))))
	b := bind(t, h, "lines", p.Bytes())
	requireAnswers(t, b)
	require.Equal(t, 1000, strings.Count(log.String(), "guest: says="))
}

// TestR9OutputBomb: output without end is a fault as soon as it is over the limit of
// a frame, in whatever pieces it comes; what the host took of it is free again.
func TestR9OutputBomb(t *testing.T) {
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	before := rss()
	for i, c := range []struct {
		name   string
		memory uint32
		size   int32
	}{
		{"in pieces", 16, 1 << 20}, {"all memory at once", 4096, 256 << 20}, {"in two", 3000, 180 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMade()
			p.Memory = g.Limits(c.memory)
			p.Call = forever(p.call("output", 0, c.size))
			name := fmt.Sprint("bomb", i)
			_, err := call(bind(t, h, name, p.Bytes()), hangLimit)
			require.EqualError(t, err, name+": call: frame is over the limit")
			require.Equal(t, tool.KindFault, tool.Kind(err))
		})
	}
	// Byte by byte it takes more calls of the host than there may be.
	p := newMade()
	p.Call = forever(p.call("output", 0, 1))
	ctx, cancel := context.WithTimeout(t.Context(), hangLimit)
	defer cancel()
	_, err := bind(t, newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.HostCalls = 100_000 }), "bytes", p.Bytes()).Call(ctx, callPath(""))
	require.EqualError(t, err, "bytes: call: the guest made too many calls of the host: more than 100000")
	if !host.Interpreted { // the race detector keeps memory of its own for what was touched
		requireSoon(t, func() bool { return rss() < before+100<<20 })
	}
	requireWell(t, h)
}

// TestR9Stderr: what a guest writes to its standard streams is kept to its last
// 64 KiB, however much it is.
func TestR9Stderr(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade(wasi + "fd_write")
	p.Memory, p.Locals = g.Limits(64), counter
	p.Call = slices.Concat(
		g.I32Const(8192), g.I32Const(1<<16), g.Op(g.I32Store, 0, 0), g.I32Const(8196), g.I32Const(3<<20), g.Op(g.I32Store, 0, 0),
		g.I32Const(1<<16), g.I32Const('\x1b'), g.I32Const(3<<20), bulk(11, 0),
		times(100, slices.Concat(p.call("fd_write", 2, 8192, 1, 16384), drop)), []byte{g.Unreachable})
	_, err := call(bind(t, h, "stderr", p.Bytes()), hangLimit)
	var fault *tool.FaultError
	require.ErrorAs(t, err, &fault)
	require.Less(t, len(fault.Detail), 70<<10)
	require.Contains(t, fault.Detail, strings.Repeat("\x1b", 64<<10))
	require.NotContains(t, err.Error(), "\x1b")
}

// TestR9Progress: a caller hears of progress as it is told, of nothing that is too
// long or no text, and a caller who does not want to hear is not needed.
func TestR9Progress(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade("ohhost_v1.progress")
	p.More = func(b *g.Builder) { b.Data(g.I32Const(texts), append([]byte(strings.Repeat("x", 5000)), 0xff, 0xfe)) }
	p.Call = slices.Concat(p.call("progress", texts, 4096), p.call("progress", texts, 4097), p.call("progress", texts+5000, 2), p.call("progress", texts, 0))
	b := bind(t, h, "progress", p.Bytes())
	requireAnswers(t, b)
	var told []string
	_, err := b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: func(s string) { told = append(told, s) }})
	require.NoError(t, err)
	require.Equal(t, []string{strings.Repeat("x", 4096), ""}, told)
}

// TestR9Header: a header of JSON that is as long as a frame lets it be is refused at
// the deadline or before, not read first.
func TestR9Header(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade()
	p.Memory = g.Limits(512)
	p.Call = slices.Concat(
		g.I32Const(8192), g.I32Const(abi.MaxHeader/4), g.Op(g.I32Store, 0, 0),
		g.I32Const(8200), g.I32Const('['), g.I32Const(abi.MaxHeader/4), bulk(11, 0),
		p.call("output", 8192, 8+abi.MaxHeader/4), g.I32Const(0), back)
	began := time.Now()
	_, err := call(bind(t, h, "header", p.Bytes()), hangLimit)
	require.ErrorContains(t, err, "header: call: the guest's answer: broken JSON: ")
	require.Less(t, time.Since(began), hangLimit)
}

// TestR9OutputLate: output of all memory at once is not copied on past the deadline.
func TestR9OutputLate(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade()
	p.Memory = g.Limits(4096)
	p.Call = slices.Concat(p.call("output", 0, 255<<20), forever())
	b := bind(t, h, "late", p.Bytes())
	for ms := range 10 { // some end in the midst of it
		_, err := call(b, time.Duration(20*ms+1)*time.Millisecond)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	requireWell(t, h)
}

package host_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
)

const wasi = "wasi_snapshot_preview1."

// The errnos of WASI that are told here (preview 1, "errno").
const wasiFault, wasiInvalid = 21, 28

// TestR11Subscriptions: a list of a million subscriptions is refused, one as long as
// may be is waited for as its shortest.
func TestR11Subscriptions(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	for i, c := range []struct{ subscriptions, want int32 }{
		{0, wasiInvalid}, {4096, 0}, {4097, wasiInvalid}, {1_000_000, wasiInvalid}, {-1, wasiInvalid},
	} {
		p := newMade(wasi + "poll_oneoff")
		p.Memory = g.Limits(1000) // 62 MiB: a million of 48 bytes and their events fit
		p.Call = slices.Concat(p.call("poll_oneoff", texts, 10<<20, c.subscriptions, 60<<20), back)
		name := fmt.Sprint("poll", i)
		b := bind(t, h, name, p.Bytes())
		_, err := call(b, hangLimit)
		if c.want == 0 {
			requireAnswersWithZero(t, name, err)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf("%s: call: oh_call returned %d", name, c.want))
	}
}

// requireAnswersWithZero: a plugin that ends with 0 and no answer is at fault for
// the missing frame only.
func requireAnswersWithZero(t *testing.T, name string, err error) {
	t.Helper()
	require.EqualError(t, err, name+": call: the guest's answer: frame is cut short")
}

// TestR11Sleep: a guest that sleeps for an hour, on either clock, for a time or until
// one, is woken by its deadline and by its caller.
func TestR11Sleep(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	for i, c := range []struct {
		name     string
		clock    int32
		absolute int32
		ns       int64
	}{
		{"monotonic", 1, 0, 3600e9},
		{"for ever", 1, 0, -1},
		{"as long as may be", 1, 0, 1<<63 - 1},
		{"until, monotonic", 1, 1, 1<<63 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMade(wasi + "poll_oneoff")
			p.Call = slices.Concat(
				g.I32Const(8192+16), g.I32Const(c.clock), g.Op(g.I32Store, 0, 0),
				g.I32Const(8192+24), g.I64Const(c.ns), g.Op(i64Store, 0, 0),
				g.I32Const(8192+40), g.I32Const(c.absolute), g.Op(g.I32Store, 0, 0),
				forever(p.call("poll_oneoff", 8192, 16384, 1, 32768), drop))
			b := bind(t, h, fmt.Sprint("sleep", i), p.Bytes())
			began := time.Now()
			_, err := call(b, shortTime)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Less(t, time.Since(began), hangLimit)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(shortTime/2, cancel)
			_, err = b.Call(ctx, callPath(""))
			require.ErrorIs(t, err, context.Canceled)
			require.Less(t, time.Since(began), hangLimit)
		})
	}
}

// TestR11ClockForward: the monotonic clock never runs backwards: not within a call,
// nor from the start-up code, whose state is frozen, to the calls of this host, nor
// to those of the next, which has the state from the cache.
func TestR11ClockForward(t *testing.T) {
	t.Parallel()
	const last = 8192 // where the guest keeps the latest time it has seen
	p := newMade(wasi + "clock_time_get")
	now := slices.Concat(p.call("clock_time_get", 1, 0, last+8), []byte{g.If, g.Void, g.Unreachable, g.End})
	load := func(at int32) []byte { return slices.Concat(g.I32Const(at), g.Op(0x29, 3, 0)) }
	keep := slices.Concat(g.I32Const(last), load(last+8), g.Op(i64Store, 3, 0))
	// look ends the call with 7 where the clock is behind the latest time.
	look := slices.Concat(now, load(last+8), load(last), []byte{0x53, g.If, g.Void}, g.I32Const(7), []byte{g.Return, g.End}, keep)
	p.Locals = []g.Locals{{N: 1, Type: g.I32}}
	p.Call = slices.Concat(
		// Without a time of the start-up, the test would show nothing.
		load(last), []byte{0x50, g.If, g.Void}, g.I32Const(8), []byte{g.Return, g.End},
		look, g.I32Const(1000), set(1), while(look, get(1), g.I32Const(1), []byte{i32Sub}, g.Op(g.LocalTee, 1)))
	p.More = func(b *g.Builder) { b.Export("_initialize", g.KindFunc, b.Func(g.TypeVoid, nil, now, keep)) }
	top := t.TempDir()
	for _, again := range []string{"made", "from the cache"} {
		t.Run(again, func(t *testing.T) {
			h := newHost(t, func(o *host.Options) {
				o.CacheDir, o.StateDir = filepath.Join(top, "cache"), filepath.Join(top, "state")
			})
			b := bind(t, h, "clock", p.Bytes())
			for range 5 { // the first copies the state, others map it or have it ready
				requireAnswers(t, b)
			}
		})
	}
}

// TestR12Random: random_get gives all that a guest asks for, however much, fails
// where there is no memory, and does not go on at a deadline.
func TestR12Random(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	// zero ends the call with n where the eight bytes at are zeros.
	zero := func(at, n int32) []byte {
		return slices.Concat(g.I32Const(at), g.Op(0x29, 0, 0), []byte{0x50, g.If, g.Void}, g.I32Const(n), []byte{g.Return, g.End})
	}
	for i, c := range []struct {
		name    string
		at, len int32
		errno   int32
	}{
		{"all", 1 << 16, size - 1<<16, 0},
		{"a piece and a byte", 1 << 16, 1<<16 + 8, 0},
		{"none at the end", size, 0, 0},
		{"one too many", 1 << 16, size - 1<<16 + 1, wasiFault},
		{"4 GiB", 1 << 16, -1, wasiFault},
		{"outside", size, 1, wasiFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMade(wasi + "random_get")
			p.Memory = g.Limits(size >> 16)
			p.Locals = []g.Locals{{N: 1, Type: g.I32}}
			p.Call = slices.Concat(p.call("random_get", c.at, c.len), set(1),
				get(1), []byte{g.If, g.Void}, get(1), []byte{g.Return, g.End})
			if c.errno == 0 && c.len > 0 {
				p.Call = slices.Concat(p.Call, zero(c.at, 101), zero(c.at+c.len/2, 102), zero(c.at+c.len-8, 103))
			}
			name := fmt.Sprint("random", i)
			b := bind(t, h, name, p.Bytes())
			if c.errno == 0 {
				requireAnswers(t, b)
				return
			}
			_, err := call(b, 0)
			require.EqualError(t, err, fmt.Sprintf("%s: call: oh_call returned %d", name, c.errno))
		})
	}
	p := newMade(wasi + "random_get")
	p.Memory = g.Limits(size >> 16)
	p.Call = forever(p.call("random_get", 1<<16, size-1<<16), drop)
	began := time.Now()
	_, err := call(bind(t, h, "drain", p.Bytes()), shortTime)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Less(t, time.Since(began), hangLimit)
}

package host_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// telling is a plugin that makes one call of progress before it answers: that is
// where a test sees how many run.
func telling() []byte {
	p := newMade("ohhost_v1.progress")
	p.Call = p.call("progress", 0, 0)
	return p.Bytes()
}

// TestR8Crowd: a thousand calls at once are all answered, never more at a time than
// may be, and leave nothing running.
func TestR8Crowd(t *testing.T) {
	const instances = 3
	h := newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.Instances = instances })
	b := bind(t, h, "crowd", telling())
	requireAnswers(t, b)
	goroutines := runtime.NumGoroutine()
	var running, most atomic.Int64
	look := func(string) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(100 * time.Microsecond)
	}
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			res, err := b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: look})
			if err != nil || res.Content[0].Text != "made" {
				t.Errorf("got %v, %v", res, err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, instances, most.Load())
	requireSoon(t, func() bool { return runtime.NumGoroutine() <= goroutines })
}

// TestR8Shed: of ten thousand calls of a busy host, as many wait as may; the others
// are refused at once, and those that waited are answered.
func TestR8Shed(t *testing.T) {
	const calls, queue = 10_000, 50
	h := newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.Instances, o.Limits.Queue = 1, queue })
	b := bind(t, h, "shed", telling())
	requireAnswers(t, b)
	var answered, shed atomic.Int64
	release := make(chan struct{})
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			_, err := b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: func(string) { <-release }})
			switch {
			case err == nil:
				answered.Add(1)
			case !errors.Is(err, host.ErrBusy):
				t.Errorf("got %v", err)
			default:
				shed.Add(1)
			}
		})
	}
	requireSoon(t, func() bool { return shed.Load() == calls-queue-1 })
	require.Zero(t, answered.Load())
	close(release)
	wg.Wait()
	require.EqualValues(t, queue+1, answered.Load())
	require.EqualValues(t, calls-queue-1, shed.Load())
}

// TestR8TenThousandCalls: ten thousand calls of guests that trap, exit and run into
// their deadline leave no descriptor, goroutine, mapping or memory behind.
func TestR8TenThousandCalls(t *testing.T) {
	calls := 10_000
	switch {
	case host.Interpreted:
		calls = 150 // under -race a call takes a hundred times as long
	case testing.Short():
		calls = 1000
	}
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	trap, exit := newMade(), newMade(wasi+"proc_exit")
	trap.Call = []byte{g.Unreachable}
	exit.Call = exit.call("proc_exit", 3)
	late := newMade()
	late.Call = forever()
	guests := []struct {
		b    tool.Tool
		want string
	}{
		{bind(t, h, "trap", trap.Bytes()), "unreachable"},
		{bind(t, h, "exit", exit.Bytes()), "exit_code(3)"},
		{bind(t, h, "late", late.Bytes()), "deadline exceeded"},
	}
	run := func(n int) {
		for i := range n {
			guest, deadline := guests[i%len(guests)], hangLimit
			if i%len(guests) == 2 {
				deadline = time.Millisecond
			}
			_, err := call(guest.b, deadline)
			require.ErrorContains(t, err, guest.want)
		}
	}
	images := 0
	run(100)
	time.Sleep(shortTime) // what prepares spares ends
	files, maps, goroutines, resident := openFiles(), mappings(t), runtime.NumGoroutine(), rss()
	run(calls)
	requireSoon(t, func() bool { return runtime.NumGoroutine() <= goroutines })
	now := openFiles()
	for fd, to := range now { // one for each module, made when no spare is at hand
		if strings.HasPrefix(to, "/memfd:ohhost-image") {
			images++
			delete(now, fd)
			delete(files, fd)
		}
	}
	require.Equal(t, files, now)
	require.LessOrEqual(t, images, len(guests))
	require.LessOrEqual(t, mappings(t), maps+20, "the heap of Go is in several")
	if !host.Interpreted { // the race detector keeps memory of its own
		require.Less(t, rss(), resident+32<<20)
	}
}

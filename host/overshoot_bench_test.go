package host_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// BenchmarkOvershoot tells, for each shape of a guest that keeps the host busy, how
// much later than its deadline a call ends, the median and the worst of all calls,
// and the longest collection of garbage while such guests run. The bars, on a
// machine that is idle: 5 ms and 30 ms.
func BenchmarkOvershoot(b *testing.B) {
	h := newHost(b, func(o *host.Options) { o.NoCache, o.Spares = true, -1 })
	for i, s := range shapes() {
		var bound tool.Tool
		b.Run(s.name, func(b *testing.B) {
			if bound == nil { // a benchmark runs more than once
				bound = bind(b, h, fmt.Sprint("shape", i), s.wasm())
			}
			_, err := call(bound, benchTime) // compiles it
			require.ErrorIs(b, err, context.DeadlineExceeded)
			var over []time.Duration
			for b.Loop() {
				late, _ := overshoot(b, bound)
				over = append(over, late)
			}
			var pause time.Duration
			for range 5 {
				pause = max(pause, longestGC(b, bound))
			}
			slices.Sort(over)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(over[len(over)/2].Seconds()*1000, "ms-median")
			b.ReportMetric(over[len(over)-1].Seconds()*1000, "ms-worst")
			b.ReportMetric(pause.Seconds()*1000, "ms-gc")
		})
	}
}

const benchTime = 20 * time.Millisecond

// overshoot is how much later than its deadline a call ended.
func overshoot(b *testing.B, bound tool.Tool) (late time.Duration, err error) {
	ctx, cancel := context.WithTimeout(b.Context(), benchTime)
	defer cancel()
	until, _ := ctx.Deadline()
	_, err = bound.Call(ctx, &tool.Call{Args: []byte(`{}`)})
	late = time.Since(until)
	require.ErrorIs(b, err, context.DeadlineExceeded)
	return late, err
}

// longestGC collects garbage for as long as a call runs, one that ends in a shape.
func longestGC(b *testing.B, bound tool.Tool) (longest time.Duration) {
	ended := make(chan error, 1)
	go func() {
		_, err := call(bound, 5*benchTime)
		ended <- err
	}()
	for {
		select {
		case err := <-ended:
			require.ErrorIs(b, err, context.DeadlineExceeded)
			return longest
		default:
			began := time.Now()
			runtime.GC()
			longest = max(longest, time.Since(began))
			time.Sleep(time.Millisecond)
		}
	}
}

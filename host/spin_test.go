package host_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// shapeTime is how long a guest of each shape runs: most of it in its shape.
const shapeTime = 100 * time.Millisecond

// TestR1Shapes: whatever a guest does to keep the host busy (vectors R1, R2, R10 to
// R12), its call ends at the deadline, the collector can run meanwhile, and the
// next guest is well.
func TestR1Shapes(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	for i, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			b := bind(t, h, fmt.Sprint("shape", i), s.wasm())
			ctx, cancel := context.WithTimeout(t.Context(), shapeTime)
			defer cancel()
			collected := make(chan time.Duration, 1)
			go func() {
				time.Sleep(shapeTime / 2)
				began := time.Now()
				runtime.GC()
				collected <- time.Since(began)
			}()
			began := time.Now()
			_, err := b.Call(ctx, &tool.Call{Args: []byte(`{}`)})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, tool.KindFault, tool.Kind(err))
			require.Less(t, time.Since(began), hangLimit)
			require.Less(t, <-collected, hangLimit)
		})
	}
	requireWell(t, h)
}

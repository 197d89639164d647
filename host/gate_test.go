package host

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestR8Gate: no more run at a time than may, those that wait go on in turn, and
// what does not fit into the queue is refused at once.
func TestR8Gate(t *testing.T) {
	g := newGate(3, 5)
	var leaves []func()
	for range 3 {
		leave, err := g.enter(t.Context())
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	var running sync.WaitGroup
	var entered atomic.Int32
	for range 5 {
		running.Go(func() {
			leave, err := g.enter(t.Context())
			if err == nil {
				entered.Add(1)
				leave()
			}
		})
	}
	require.Eventually(t, func() bool { return g.waiting.Load() == 5 }, 10*time.Second, time.Millisecond)
	_, err := g.enter(t.Context())
	require.ErrorIs(t, err, ErrBusy)
	require.EqualError(t, err, "the host is busy: 3 calls run and 5 wait; try again later")
	require.Zero(t, entered.Load())
	for _, leave := range leaves {
		leave()
	}
	running.Wait()
	require.EqualValues(t, 5, entered.Load())
	require.Zero(t, g.waiting.Load())
}

// TestR8GateDeadline: who waits is let go when the deadline ends, and leaves nothing.
func TestR8GateDeadline(t *testing.T) {
	g := newGate(1, 5)
	leave, err := g.enter(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = g.enter(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, g.waiting.Load())
	leave()
	leave, err = g.enter(t.Context())
	require.NoError(t, err)
	leave()
}

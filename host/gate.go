package host

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrBusy is the cause of a fault when so many calls wait already that one more
// would wait in vain.
var ErrBusy = errors.New("the host is busy")

// A gate lets a number of guests run at a time. Further calls wait, which is what
// slows their callers down, and beyond a number of those they are refused: neither
// memory nor waiting is without bound.
type gate struct {
	slots   chan struct{}
	waiting atomic.Int64
	queue   int64
}

func newGate(instances, queue int) *gate {
	return &gate{slots: make(chan struct{}, instances), queue: int64(queue)}
}

// enter waits for a turn until ctx ends; the caller must call the function
// returned.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-g.slots }
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	default:
	}
	if g.waiting.Add(1) > g.queue {
		g.waiting.Add(-1)
		return nil, fmt.Errorf("%w: %d calls run and %d wait; try again later", ErrBusy, cap(g.slots), g.queue)
	}
	defer g.waiting.Add(-1)
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

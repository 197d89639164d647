package host

import (
	"context"
	"sync"
	"time"
)

// grace is how long a guest may go on after its caller's context has ended, once
// it has changed something: enough to say what it did.
const grace = 5 * time.Second

// A lease is how long a guest may run: until its caller's context ends. Two
// things put that off. A service call under way decides for itself whether it
// stops, since a change set is not left half applied. And once one was applied,
// the guest has a grace to answer: an edit that was made must not be reported as
// a fault, or the caller makes it again.
type lease struct {
	ctx     context.Context // what the guest runs with
	caller  context.Context
	until   time.Time // the caller's deadline; zero where there is none
	cancel  context.CancelCauseFunc
	release func()

	mu      sync.Mutex
	serving bool
	applied bool
	ended   error // why the caller's context ended
}

// newLease returns the context to run the guest with.
func newLease(caller context.Context) (context.Context, *lease) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(caller))
	l := &lease{ctx: ctx, caller: caller, cancel: cancel}
	l.until, _ = caller.Deadline()
	stop := context.AfterFunc(caller, func() { l.end(context.Cause(caller)) })
	l.release = func() {
		stop()
		cancel(nil)
	}
	return ctx, l
}

// over returns why the guest must stop, or nil. It looks at the clock itself: when
// guests keep all processors busy, timers come late.
func (l *lease) over() error {
	if l.ctx.Err() == nil && !l.until.IsZero() && time.Now().After(l.until) {
		why := context.DeadlineExceeded
		select { // the context's timer is due, too, and may have a cause
		case <-l.caller.Done():
			why = context.Cause(l.caller)
		case <-time.After(time.Millisecond):
		}
		l.end(why)
	}
	return context.Cause(l.ctx)
}

func (l *lease) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return
	}
	l.ended = why
	if !l.serving {
		l.stop()
	}
}

// stop needs mu.
func (l *lease) stop() {
	why := l.ended
	if l.applied {
		time.AfterFunc(grace, func() { l.cancel(why) })
		return
	}
	l.cancel(why)
}

// begin starts a service call, or returns why there is no time left for one.
func (l *lease) begin() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return l.ended
	}
	l.serving = true
	return nil
}

// done ends a service call; applied says that it changed something.
func (l *lease) done(applied bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serving = false
	l.applied = l.applied || applied
	if l.ended != nil {
		l.stop()
	}
}

package tool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ohhost/ohhost/abi"
)

// Timeout returns a Middleware that ends a call after d: the context of the
// tool gets a deadline, and a call that fails for it is a *FaultError that wraps
// context.DeadlineExceeded. A result that comes later all the same is passed on:
// what it tells of has happened. Keys get the same time for themselves. d <= 0 is
// no limit.
func Timeout(d time.Duration) Middleware {
	return func(next Tool) Tool {
		if d <= 0 {
			return next
		}
		return &timed{next, d}
	}
}

type timed struct {
	next Tool
	d    time.Duration
}

// Spec implements Tool.
func (t *timed) Spec() *abi.Spec { return t.next.Spec() }

// Unwrap implements Wrapper.
func (t *timed) Unwrap() Tool { return t.next }

// Keys implements Tool.
func (t *timed) Keys(ctx context.Context, c *Call) ([]string, error) {
	limited, cancel := context.WithTimeout(ctx, t.d)
	defer cancel()
	keys, err := t.next.Keys(limited, c)
	return keys, t.explain(ctx, limited, "keys", err)
}

// Call implements Tool.
func (t *timed) Call(ctx context.Context, c *Call) (*abi.Result, error) {
	limited, cancel := context.WithTimeout(ctx, t.d)
	defer cancel()
	res, err := t.next.Call(limited, c)
	return res, t.explain(ctx, limited, "call", err)
}

// explain makes a fault of whatever a tool says when its time, not the
// caller's, was up. Refusals stay what they are.
func (t *timed) explain(ctx, limited context.Context, op string, err error) error {
	if err == nil || ctx.Err() != nil || limited.Err() != context.DeadlineExceeded {
		return err
	}
	if k := Kind(err); k != KindFault {
		return err
	}
	f := &FaultError{Tool: t.next.Spec().Name, Op: op, Err: fmt.Errorf("not done within %v: %w", t.d, context.DeadlineExceeded)}
	var inner *FaultError
	if errors.As(err, &inner) {
		f.Op, f.Detail = inner.Op, inner.Detail
	}
	return f
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// An interruptedError is why the command's context ended: a signal.
type interruptedError struct{ signal os.Signal }

// Error names the signal.
func (e *interruptedError) Error() string { return fmt.Sprintf("stopped: %v", e.signal) }

// exitCode is 128 + the signal's number, as shells have it.
func (e *interruptedError) exitCode() int {
	if s, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return 130
}

// interruptible returns a context that ends with an *interruptedError at the
// first SIGINT or SIGTERM, so that the call is cut short and cleaned up; a second
// one kills the process. It also makes a write to a closed pipe an error, which
// would kill the process before it has cleaned up.
func interruptible(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	keepPipeErrors()
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&interruptedError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

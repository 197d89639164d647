package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/pflag"

	"github.com/ohhost/ohhost/tool"
)

// An openOptions says which tools to bring.
type openOptions struct {
	plugins  []string // module files
	log      hclog.Logger
	progress func(text string) // may be nil
	fuel     uint64            // of one call; 0 is no limit
	once     bool              // one call is made
}

// A loadFlags holds the flags of all commands that bring tools.
type loadFlags struct {
	plugins []string
	verbose bool
	fuel    uint64
	once    bool
}

func (l *loadFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&l.plugins, "plugin", nil, "also load the module `FILE.wasm`; its tools replace ours of the same name")
	f.BoolVarP(&l.verbose, "verbose", "v", false, "log what happens, and all that is known of a fault")
}

// openTools brings the tools, each wrapped as every call needs it: logged, its
// arguments checked, cut off after the timeout (0: never), as the loading is.
func (a *app) openTools(ctx context.Context, l *loadFlags, timeout time.Duration) (*tool.Registry, error) {
	o := &openOptions{plugins: l.plugins, log: newLogger(a.err, l.verbose), fuel: l.fuel, once: l.once}
	if a.errTerm.is {
		o.progress = a.progress
	}
	loading, cancel := limit(ctx, timeout)
	defer cancel()
	reg, err := a.open(loading, o)
	if err != nil {
		a.detail(err, l.verbose)
		return nil, overdue(loading, timeout, err)
	}
	reg.Use(logCalls(o.log), tool.Validate, tool.Timeout(timeout))
	return reg, nil
}

func checkTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("--timeout %v: want a positive duration", timeout)
	}
	return nil
}

// limit gives a context a deadline after the timeout, none for 0.
func limit(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

// overdue says of an error how long the limit was, if that was the reason.
func overdue(ctx context.Context, timeout time.Duration, err error) error {
	if ctx.Err() != context.DeadlineExceeded {
		return err
	}
	return fmt.Errorf("%w: not done within %v", err, timeout)
}

// progress tells a waiting user what takes so long.
func (a *app) progress(text string) { fmt.Fprintln(a.err, cleanLine(text)) }

// closeTools gives what still runs a moment.
func closeTools(ctx context.Context, reg *tool.Registry, err *error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if failed := reg.Close(ctx); failed != nil {
		*err = errors.Join(*err, failed)
	}
}

func newLogger(w io.Writer, verbose bool) hclog.Logger {
	level := hclog.Warn
	if verbose {
		level = hclog.Debug
	}
	return hclog.New(&hclog.LoggerOptions{Name: "ohhost", Level: level, Output: w})
}

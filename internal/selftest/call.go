package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ohhost/ohhost/abi"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// An ending is how a call ended.
type ending struct {
	res  *abi.Result
	err  error
	late time.Duration // after its deadline; 0 when it was done before
}

// errHung is the error of a call that has not ended.
var errHung = errors.New("it is still running")

// call makes a call that has some time, and judges whether it comes back then. One
// that does not goes on: the world is spoilt.
func (w *world) call(ctx context.Context, t tool.Tool, limit time.Duration, args json.RawMessage) ending {
	return w.watch(ctx, limit, func(ctx context.Context) (*abi.Result, error) { return t.Call(ctx, &tool.Call{Args: args}) })
}

// watch does the same for any work that can be stopped.
func (w *world) watch(ctx context.Context, limit time.Duration, work func(ctx context.Context) (*abi.Result, error)) ending {
	if w.spoilt {
		return ending{err: errHung, late: w.hang} // it would only tell of what runs already
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	done := make(chan ending, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- ending{err: fmt.Errorf("the host panicked: %v", p)}
			}
		}()
		res, err := work(ctx)
		done <- ending{res: res, err: err}
	}()
	hung := time.NewTimer(limit + w.hang)
	defer hung.Stop()
	select {
	case e := <-done:
		if e.err != nil && strings.HasPrefix(e.err.Error(), "the host panicked") {
			w.through("%v", e.err)
		}
		e.late = max(0, time.Since(began)-limit)
		return e
	case <-hung.C:
		w.through("a call was still running %v after its deadline", w.hang)
		w.spoilt = true
		return ending{err: errHung, late: w.hang}
	}
}

// endless makes a call that must be stopped at its deadline, and returns how late it
// came back.
func (w *world) endless(ctx context.Context, t tool.Tool, what string, args json.RawMessage) time.Duration {
	e := w.call(ctx, t, w.deadline, args)
	w.must(ctx.Err())
	switch {
	case e.err == errHung:
	case e.err == nil:
		w.through("%s: the call ended by itself, with an answer", what)
	case !errors.Is(e.err, context.DeadlineExceeded):
		w.skip("%s: the call did not reach its deadline: %v", what, e.err)
	}
	return e.late
}

// none are the arguments of a plugin that takes none.
var none = json.RawMessage(`{}`)

// alive judges whether the host still serves after an attack: a new host does, in
// this process.
func (w *world) alive(ctx context.Context) {
	if w.spoilt {
		return
	}
	e := w.call(ctx, w.bindMade(ctx, g.Plugin{}), w.hang, none)
	w.must(ctx.Err())
	if e.err != nil || e.text() != "made" {
		w.through("plugins do not run any more: %v %q", e.err, e.text())
	}
}

// text is that of a result, empty where there is none.
func (e *ending) text() string {
	if e.res == nil {
		return ""
	}
	return tool.ModelText(e.res)
}

// worst is the longest of some times, for a detail.
func worst(late ...time.Duration) string {
	most := time.Duration(0)
	for _, d := range late {
		most = max(most, d)
	}
	return fmt.Sprintf("at most %.1f ms after the deadline", float64(most.Microseconds())/1000)
}

// counted is a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

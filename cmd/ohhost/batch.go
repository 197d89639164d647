package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/ohhost/ohhost/tool"
)

// Limits of a batch. Reading stops while they are reached.
const (
	maxLine    = 128 << 20 // bytes of one line
	maxPending = 256 << 20 // bytes of the lines of all calls that have not ended
	maxJobs    = 64        // calls that have not ended
)

// A batch reads calls from standard input and answers them as they end.
type batch struct {
	app    *app
	reg    *tool.Registry
	grant  *tool.Grant
	dryRun bool
	usage  bool
	jobs   *schedule

	bound sync.Map // name → func() (tool.Tool, error)

	mu   sync.Mutex // one line at a time
	fail error      // why standard output is gone
	cut  error      // why the context ended while a call ran that failed
	stop context.CancelCauseFunc
}

func newBatch(a *app, reg *tool.Registry, grant *tool.Grant, f *callFlags) *batch {
	return &batch{app: a, reg: reg, grant: grant, dryRun: f.dryRun, usage: f.load.fuel > 0, jobs: newSchedule(2 * runtime.GOMAXPROCS(0))}
}

// run answers until the end of the input, then waits for the rest. Calls that
// fail are answers, not errors; an error is that of reading or writing, or why
// ctx ended.
func (b *batch) run(ctx context.Context) error {
	ctx, b.stop = context.WithCancelCause(ctx)
	defer b.stop(nil)
	lines := make(chan line)
	go b.read(ctx, lines)
	err := b.dispatch(ctx, lines)
	b.jobs.wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.fail, err, b.cut)
}

// dispatch starts a job for each line, in order.
func (b *batch) dispatch(ctx context.Context, lines <-chan line) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case l, ok := <-lines:
			if !ok {
				return context.Cause(ctx)
			}
			if l.err == io.EOF {
				return nil
			}
			var bad badRequestError
			if l.err != nil && !errors.As(l.err, &bad) {
				return fmt.Errorf("read standard input: %w", l.err)
			}
			b.start(ctx, l)
		}
	}
}

// start hands one line to the schedule.
func (b *batch) start(ctx context.Context, l line) {
	req, err := &request{id: []byte("null")}, l.err
	if err == nil {
		req, err = parseRequest(l.text)
	}
	if err != nil {
		b.answer(&answer{id: req.id, err: fmt.Errorf("line %d: %w", l.number, err)})
		return
	}
	call := &tool.Call{ID: req.callID(), Args: req.args, DryRun: b.dryRun}
	j := &job{
		size: len(l.text),
		keys: func() ([]string, error) {
			t, err := b.bind(ctx, req.tool)
			if err != nil {
				return nil, err
			}
			return t.Keys(ctx, &tool.Call{ID: call.ID, Args: call.Args, DryRun: call.DryRun})
		},
		run: func() { b.call(ctx, req, call) },
	}
	b.jobs.start(j)
}

// call makes one call and answers it.
func (b *batch) call(ctx context.Context, req *request, c *tool.Call) {
	ans := &answer{id: req.id, usage: b.usage}
	if b.dryRun {
		ans.diff = newDiff(b.grant.Workspace)
		c.Changed = ans.diff.add
	}
	t, err := b.bind(ctx, req.tool)
	if err == nil {
		ans.result, err = t.Call(ctx, c)
	}
	ans.err = err
	if err != nil && ctx.Err() != nil && tool.Kind(err) == tool.KindFault {
		b.mu.Lock()
		b.cut = context.Cause(ctx)
		b.mu.Unlock()
	}
	b.answer(ans)
}

// bind binds each tool once.
func (b *batch) bind(ctx context.Context, name string) (tool.Tool, error) {
	if t, ok := b.bound.Load(name); ok {
		return t.(func() (tool.Tool, error))()
	}
	once := sync.OnceValues(func() (tool.Tool, error) { return b.reg.Bind(ctx, name, b.grant) })
	t, _ := b.bound.LoadOrStore(name, once)
	bound, err := t.(func() (tool.Tool, error))()
	if err != nil {
		b.bound.Delete(name) // names that do not exist must not pile up
	}
	return bound, err
}

// answer writes one line. When standard output is gone, the batch ends.
func (b *batch) answer(ans *answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return
	}
	if b.fail = ans.write(b.app.out); b.fail != nil {
		b.stop(b.fail)
	}
}

// A line is one line of the input without its end, or why there is none.
type line struct {
	number int // from 1, blank ones count
	text   []byte
	err    error // io.EOF at the end; a badRequestError for one that is too long
}

// read sends the lines that are not blank, one ahead at most, and stops after
// the first error. A byte order mark before the first is no part of it. Standard input cannot be interrupted, so it may outlive the
// batch by one read.
func (b *batch) read(ctx context.Context, lines chan<- line) {
	r := bufio.NewReaderSize(b.app.in, 64<<10)
	for number := 1; ; number++ {
		b.jobs.waitForRoom()
		text, err := readLine(r, maxLine)
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		select {
		case lines <- line{number, text, err}:
		case <-ctx.Done():
			return
		}
		var bad badRequestError
		if err != nil && !errors.As(err, &bad) {
			return
		}
	}
}

// readLine reads one line of at most limit bytes, its end included; of a longer
// one nothing is kept.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(text)+len(part) > limit; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case long && (err == nil || err == io.EOF):
			return nil, badRequestError{fmt.Errorf("over the limit of %d bytes", limit)}
		case err == io.EOF && len(text) > 0, err == nil:
			return text, nil
		}
		return nil, err
	}
}

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/codecache"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/tool"
)

// bound is a tool of a module for one grant.
type bound struct {
	host *Host
	mod  *module
	spec *abi.Spec
	cwd  string
	jail *jail.Jail
	sess *session.Session // nil where there is no place for state
	once sync.Once

	shared *sharedSession // sess, to be given back
}

// Bind returns the named tool for a grant. It opens the granted directories; they
// stay open until the tool's Close (it is an io.Closer) or the host's. Errors: one
// that Is tool.ErrUnknownTool, a grant that names a missing or relative path, a
// bad session name.
func (h *Host) Bind(ctx context.Context, name string, g *tool.Grant) (tool.Tool, error) {
	leave, err := h.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	t, err := h.lookup(name)
	if err != nil {
		return nil, err
	}
	t.module.begin() // a call is likely to follow
	b := &bound{host: h, mod: t.module, cwd: g.Workspace}
	spec := *t.spec
	spec.Description = strings.ReplaceAll(spec.Description, abi.CWDPlaceholder, g.Workspace)
	b.spec = &spec
	opts := &jail.Options{Private: h.dirs.private, Backend: h.opts.JailBackend}
	if b.shared, err = h.session(g); err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, err)
	}
	if b.shared != nil {
		b.sess = b.shared.Session
		opts.Open = []string{b.sess.Outputs()}
	}
	grant := *g
	grant.Deny = append(slices.Clone(g.Deny), codecache.ScratchGlob) // code that is about to be run
	if b.jail, err = jail.New(&grant, opts); err != nil {
		return nil, fmt.Errorf("bind %s: %w", name, errors.Join(err, b.release()))
	}
	if err := h.keep(b); err != nil {
		return nil, errors.Join(err, b.release())
	}
	return b, nil
}

// keep notes a bound tool, for Close to release.
func (h *Host) keep(b *bound) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.bound[b] = struct{}{}
	return nil
}

// Spec describes the tool.
func (b *bound) Spec() *abi.Spec { return b.spec }

// Close frees the granted directories. The tool must not be called afterwards.
func (b *bound) Close() error {
	b.host.mu.Lock()
	delete(b.host.bound, b)
	b.host.mu.Unlock()
	return b.release()
}

func (b *bound) release() (err error) {
	b.once.Do(func() {
		if b.jail != nil {
			err = b.jail.Close()
		}
		err = errors.Join(err, b.host.release(b.shared))
	})
	return err
}

// callHeader is the header of oh_call's input.
type callHeader struct {
	Op   string          `json:"op"`
	Tool string          `json:"tool"`
	ID   string          `json:"id"`
	Args json.RawMessage `json:"args"`
	CWD  string          `json:"cwd"`
}

// Keys asks the guest for the resource keys of a call.
func (b *bound) Keys(ctx context.Context, c *tool.Call) ([]string, error) {
	a, err := b.ask(ctx, c, abi.OpKeys)
	if err != nil {
		return nil, err
	}
	if a.keys == nil {
		return nil, b.fault(abi.OpKeys, errors.New("the guest's answer has no keys"), "")
	}
	return slices.Compact(slices.Sorted(slices.Values(*a.keys))), nil
}

// Call runs the tool, see tool.Tool.
func (b *bound) Call(ctx context.Context, c *tool.Call) (*abi.Result, error) {
	a, err := b.ask(ctx, c, abi.OpCall)
	if err != nil {
		return nil, err
	}
	if a.result == nil {
		return nil, b.fault(abi.OpCall, errors.New("the guest's answer has no result"), "")
	}
	return a.result, nil
}

// ask makes one call of the guest and reads its answer.
func (b *bound) ask(ctx context.Context, c *tool.Call, op string) (*answer, error) {
	leave, err := b.host.enter()
	if err != nil {
		return nil, b.fault(op, err, "")
	}
	defer leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.host.stopping, func() { cancel(ErrClosed) })()

	header, err := json.Marshal(callHeader{Op: op, Tool: b.spec.Name, ID: c.ID, Args: c.Args, CWD: b.cwd})
	if err != nil {
		return nil, &tool.ArgumentError{Tool: b.spec.Name, Problems: []tool.ArgumentProblem{{Want: "a JSON object"}}}
	}
	limits := &b.host.opts.Limits
	written := &quota{limits: limits}
	files := &filesService{
		jail: b.jail, sess: b.sess, call: c, log: b.host.log,
		noSync: b.host.opts.NoSync, readOnly: op == abi.OpKeys, limits: limits, quota: written,
	}
	in := &guestCall{
		log:    b.host.log.Named(b.spec.Name),
		notify: c.Progress,
		services: map[string]tool.Service{
			abi.ServiceFiles: files,
		},
	}
	if b.sess != nil {
		in.services[abi.ServiceState] = &stateService{sess: b.sess, readOnly: c.DryRun || op == abi.OpKeys, quota: written}
	}
	fsys := b.jail.FS(&jail.FSOptions{MaxOpen: limits.OpenFiles, MaxEntries: limits.ListEntries, Count: in.countFile})
	defer fsys.Close() // what a guest that was cut off had open, see arena
	f, detail, err := b.mod.run(ctx, in, fsys, abi.ExportCall, &abi.Frame{Header: header, Attachments: [][]byte{[]byte(b.cwd)}})
	if err == nil {
		var a *answer
		if a, err = parseAnswer(f, files.blob); err == nil {
			b.shorten(ctx, a, c)
			if a.result != nil {
				a.result.Usage = in.usage()
			}
			return b.outcome(a, files.refusal)
		}
		err = fmt.Errorf("the guest's answer: %w", err)
	}
	if files.applied {
		err = fmt.Errorf("%w (after its change was made)", err)
	}
	return nil, b.fault(op, err, detail)
}

// outcome separates what a guest answered from why it could not.
func (b *bound) outcome(a *answer, refusal *jail.DeniedError) (*answer, error) {
	switch {
	case a.denied != nil:
		return nil, b.denied(a.denied, refusal)
	case a.raised != nil:
		return nil, &tool.RaisedError{Tool: b.spec.Name, Message: a.raised.Message}
	}
	return a, nil
}

func (b *bound) fault(op string, err error, detail string) error {
	return &tool.FaultError{Tool: b.spec.Name, Op: op, Err: err, Detail: detail}
}

// denied makes the error of a denial. What the jail said counts; a guest's own
// words are used where no service refused anything.
func (b *bound) denied(said *deniedAnswer, refusal *jail.DeniedError) error {
	e := &tool.DeniedError{Tool: b.spec.Name, Path: said.Path, Why: said.Why, Have: b.jail.Grants()}
	if refusal != nil {
		e.Path, e.Why, e.Ask = refusal.Path, refusal.Why, refusal.Ask
		if said.Write {
			e.Ask = refusal.AskToWrite()
		}
	}
	return e
}

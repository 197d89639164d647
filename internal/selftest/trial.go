package selftest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ohhost/ohhost/abi"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// A trial is a module that must be refused.
type trial struct {
	what string
	evil []byte
}

// refused tries to load and use modules, and judges that they cannot be. sound is a
// plugin that differs from them in nothing else and must not be refused: a module
// that is broken in another way proves nothing.
func (w *world) refused(ctx context.Context, sound g.Plugin, trials ...trial) {
	if _, err := w.loadAndCall(ctx, sound.Bytes()); err != nil {
		w.skip("a sound module is refused, too: %v", err)
	}
	w.detail = ""
	for _, t := range trials {
		w.refuse(ctx, t)
	}
	w.detail = fmt.Sprintf("%s refused%s", counted(len(trials), "module"), w.detail)
}

// refuse is for one module.
func (w *world) refuse(ctx context.Context, t trial) {
	if w.spoilt {
		return
	}
	var err error
	grown := w.grows(func() { _, err = w.loadAndCall(ctx, t.evil) })
	w.must(ctx.Err())
	switch {
	case err == nil:
		w.through("%s: the module was loaded, and ran", t.what)
	case err == errHung:
	case errors.Is(err, context.DeadlineExceeded):
		w.through("%s: the module of %d KB was not refused, and not ready after %v", t.what, len(t.evil)>>10, w.hang)
		w.spoilt = true // it may still be compiled
	case w.detail == "":
		w.detail = fmt.Sprintf(" (%s: %.100s)", t.what, reason(err))
	}
	w.tooMuch(grown, int64(len(t.evil)), t.what)
}

// bombs tries the modules of internal/wasmgen for a threat: those that must be
// refused, and those that may be loaded and must cost nothing.
func (w *world) bombs(ctx context.Context, threat string) {
	w.detail = ""
	if _, err := w.loadAndCall(ctx, (&g.Plugin{}).Bytes()); err != nil {
		w.skip("a sound module is refused, too: %v", err)
	}
	refused, harmless := 0, 0
	for _, b := range g.Bombs() {
		switch {
		case b.Threat != threat || w.spoilt:
		case !b.Loads:
			w.refuse(ctx, trial{b.Name, b.Wasm()})
			refused++
		default:
			wasm := b.Wasm()
			var err error
			grown := w.grows(func() { _, err = w.loadAndCall(ctx, wasm) })
			w.must(ctx.Err())
			if errors.Is(err, context.DeadlineExceeded) {
				w.through("%s: not ready after %v", b.Name, w.hang)
			}
			w.tooMuch(grown, 2*int64(len(wasm)), b.Name)
			harmless++
		}
	}
	w.detail = counted(refused, "module") + " refused" + w.detail
	if harmless > 0 {
		w.detail += fmt.Sprintf("; %d that may be loaded cost nothing", harmless)
	}
}

// loadAndCall loads a module and calls its tool, in a host of its own, which is closed
// then; nil is success.
func (w *world) loadAndCall(ctx context.Context, wasm []byte) (*abi.Result, error) {
	h := w.host(nil)
	e := w.watch(ctx, w.hang, func(ctx context.Context) (*abi.Result, error) {
		if err := h.Load(ctx, "x", wasm, nil); err != nil {
			return nil, err
		}
		b, err := h.Bind(ctx, h.Specs()[0].Name, w.grant())
		if err != nil {
			return nil, err
		}
		return b.Call(ctx, &tool.Call{Args: none})
	})
	if e.err != errHung {
		w.must(w.close(ctx))
	}
	return e.res, e.err
}

// reason is an error of loading, without whose.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	for _, prefix := range []string{"load x: ", "x: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// compileUntil loads a module that takes longer to compile than there is time, and
// returns how late that ended and what it took.
func (w *world) compileUntil(ctx context.Context, p g.Plugin) (late time.Duration, grown int64) {
	h, wasm := w.host(nil), p.Bytes()
	grown = w.grows(func() {
		e := w.watch(ctx, w.deadline, func(ctx context.Context) (*abi.Result, error) { return nil, h.Load(ctx, "x", wasm, nil) })
		late = e.late
	})
	w.must(ctx.Err())
	w.tooMuch(grown, 512<<20, "compiling")
	return late, grown
}

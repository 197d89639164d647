package instrument_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/instrument"
	w "github.com/ohhost/ohhost/internal/wasmgen"
)

// TestR5Bombs: a module that is made to be hard to compile is refused before a
// compiler sees it, or is compiled within what a user would wait.
func TestR5Bombs(t *testing.T) {
	passed := 0
	for _, b := range w.Bombs() {
		t.Run(b.Threat+" "+b.Name, func(t *testing.T) {
			m, err := instrument.Parse(b.Wasm(), nil)
			var wasm []byte
			if err == nil {
				wasm, err = m.Rewrite(&instrument.Plan{})
			}
			if err != nil {
				t.Logf("refused: %v", err)
				return
			}
			passed++
			if raced {
				t.Skip("compiling takes too long with -race")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
			defer cancel()
			began := time.Now()
			_, err = compiler.runtime(t, &meter{}).CompileModule(ctx, wasm)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			t.Logf("compiled in %v: %v", time.Since(began), err)
		})
	}
	require.NotZero(t, passed)
}

// TestR5CompileCost: small functions whose compilation would take minutes or
// gigabytes are refused for what they would cost; the limits can be set.
func TestR5CompileCost(t *testing.T) {
	get := w.Op(w.LocalGet, 0)
	set := func(n uint32) []byte {
		var code []byte
		for i := range n {
			code = append(append(code, w.I32Const(1)...), append([]byte{0x21}, w.U32(i)...)...)
		}
		return code
	}
	for name, build := range map[string]func(b *w.Builder){
		"many loops, many locals": func(b *w.Builder) {
			b.Func(0, []w.Locals{{N: 3000, Type: w.I32}}, w.Times(3000, []byte{w.Loop, w.Void, w.End}))
		},
		"nested loops that set locals": func(b *w.Builder) {
			b.Func(0, []w.Locals{{N: 1000, Type: w.I32}}, w.Times(3000, []byte{w.Loop, w.Void}), set(1000), w.Times(3000, end))
		},
		"loops in loops, with a way out": func(b *w.Builder) {
			var gets []byte
			for i := range uint32(200) {
				gets = append(append(gets, w.Op(w.LocalGet, i)...), w.Drop)
			}
			b.Func(0, []w.Locals{{N: 200, Type: w.I32}}, w.Times(1000, []byte{w.Loop, w.Void}, block, get, w.Op(w.BrIf, 0)), gets,
				w.Times(1000, get, w.Op(w.BrIf, 1), end, end))
		},
		"many ifs, many locals": func(b *w.Builder) {
			b.Func(0, []w.Locals{{N: 1000, Type: w.I32}}, w.Times(10_000, get, []byte{w.If, w.Void}, set(3), end))
		},
		"many branches, many tables": func(b *w.Builder) {
			b.Func(0, []w.Locals{{N: 1, Type: w.I32}}, w.Times(6000, block, get, w.Targets(10, 0), end))
		},
		"loads, then blocks": func(b *w.Builder) {
			b.Memory(w.Limits(1))
			b.Func(0, []w.Locals{{N: 1, Type: w.I32}}, block, w.Times(10_000, get, []byte{0x28, 0, 0, 0x1a}), w.Times(10_000, get, w.Op(w.BrIf, 0)), end)
		},
	} {
		t.Run(name, func(t *testing.T) {
			wasm := built(build)
			require.Less(t, len(wasm), 300_000)
			m, err := instrument.Parse(wasm, nil)
			require.NoError(t, err)
			_, err = m.Rewrite(&instrument.Plan{})
			var limit *instrument.LimitError
			require.ErrorAs(t, err, &limit)
			require.ErrorContains(t, err, "function 0: ")
			require.ErrorContains(t, err, "(estimated)")
		})
	}

	wasm, err := os.ReadFile("../../plugins/fileeditor/fileeditor.wasm")
	require.NoError(t, err)
	m, err := instrument.Parse(wasm, &instrument.Limits{CompileTime: time.Microsecond})
	require.NoError(t, err)
	_, err = m.Rewrite(&instrument.Plan{})
	require.ErrorContains(t, err, "milliseconds to compile a function (estimated)")
}

// TestR5Helpers: each different bulk operation becomes a function; their number is
// bounded, however often each is used.
func TestR5Helpers(t *testing.T) {
	b := w.New()
	b.Type(nil, nil)
	b.Table(w.FuncRef, w.Limits(1))
	b.Repeat(w.SectionElem, 3, []byte{1, 0, 0})
	init := func(n byte) []byte {
		args := append(append(w.I32Const(0), w.I32Const(0)...), w.I32Const(0)...)
		return append(args, 0xfc, 12, n, 0)
	}
	b.Func(0, nil, init(0), init(1), init(0), init(1), init(2))
	for limit, want := range map[int]string{3: "", 2: "different bulk operations: 3, at most 2 are accepted"} {
		m, err := instrument.Parse(b.Bytes(), &instrument.Limits{Helpers: limit})
		require.NoError(t, err)
		_, err = m.Rewrite(&instrument.Plan{})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

func TestR5MutableGlobals(t *testing.T) {
	b := w.New()
	b.Global(w.I32, true, w.I32Const(0))
	b.Global(w.I32, false, w.I32Const(0))
	b.Global(w.I32, true, w.I32Const(0))
	_, err := instrument.Parse(b.Bytes(), &instrument.Limits{Mutable: 2})
	require.NoError(t, err)
	_, err = instrument.Parse(b.Bytes(), &instrument.Limits{Mutable: 1})
	require.EqualError(t, err, "section global: mutable globals: 2, at most 1 are accepted")
}

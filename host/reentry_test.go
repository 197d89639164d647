package host_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// counting is a plugin that increases a number in its memory and one in a global,
// makes a call of progress, and fails unless both are 1 afterwards.
func counting() []byte {
	p := newMade("ohhost_v1.progress")
	p.More = func(b *g.Builder) { b.Global(g.I32, true, g.I32Const(0)) }
	one := []byte{g.I32Add}
	load := slices.Concat(g.I32Const(texts), g.Op(g.I32Load, 0, 0))
	p.Call = slices.Concat(
		g.Op(g.GlobalGet, 0), g.I32Const(1), one, g.Op(g.GlobalSet, 0),
		g.I32Const(texts), load, g.I32Const(1), one, g.Op(g.I32Store, 0, 0),
		p.call("progress", 0, 0),
		g.Op(g.GlobalGet, 0), load, g.Op(g.I32Mul), g.I32Const(1), []byte{i32Ne, g.If, g.Void, g.Unreachable, g.End})
	return p.Bytes()
}

// TestA3Reentry: a call of a tool from within its own call runs in another instance,
// which sees nothing of the outer one; where none may run, it waits until its own
// deadline and does not lock up the host.
func TestA3Reentry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		instances, depth int
		fault            error // of the innermost call
	}{
		{"once", 2, 2, nil},
		{"five deep", 5, 5, nil},
		{"one too deep", 2, 3, context.DeadlineExceeded},
		{"alone", 1, 2, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, func(o *host.Options) { o.NoCache = true; o.Limits.Instances = c.instances })
			b := bind(t, h, "counting", counting())
			requireAnswers(t, b)
			var inner error
			var enter func(depth int) error
			enter = func(depth int) error {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(c.depth+1-depth)*hangLimit)
				if depth == c.depth && c.fault != nil {
					ctx, cancel = context.WithTimeout(t.Context(), shortTime)
				}
				defer cancel()
				_, err := b.Call(ctx, &tool.Call{Args: []byte(`{}`), Progress: func(string) {
					if depth < c.depth {
						if err := enter(depth + 1); err != nil {
							inner = err
						}
					}
				}})
				return err
			}
			require.NoError(t, enter(1))
			require.ErrorIs(t, inner, c.fault)
			requireAnswers(t, b)
		})
	}
}

// TestA3Start: what a module's start-up code can do wrong.
func TestA3Start(t *testing.T) {
	t.Parallel()
	initialize := func(code func(p *made) []byte, imports ...string) []byte {
		p := newMade(imports...)
		p.More = func(b *g.Builder) { b.Export("_initialize", g.KindFunc, b.Func(g.TypeVoid, nil, code(p))) }
		return p.Bytes()
	}
	export := func(typ uint32, code ...[]byte) []byte {
		p := g.Plugin{More: func(b *g.Builder) { b.Export("_initialize", g.KindFunc, b.Func(typ, nil, code...)) }}
		return p.Bytes()
	}
	start := g.Plugin{More: func(b *g.Builder) { b.Start(b.Func(g.TypeVoid, nil)) }}
	for _, c := range []struct {
		name string
		wasm []byte
		want string // "" is an answer, "deadline" what it says
	}{
		{"none", (&g.Plugin{}).Bytes(), ""},
		{"empty", export(g.TypeVoid), ""},
		{"parameters", export(g.TypeI32I32, get(0)), "load x: the module exports _initialize with another signature than () -> ()"},
		{"results", export(g.TypeI32, g.I32Const(0)), "load x: the module exports _initialize with another signature than () -> ()"},
		{"a start section", start.Bytes(), "load x: the module has a start section; export its start-up code as _initialize (AssemblyScript: --exportStart _initialize)"},
		{"a trap", export(g.TypeVoid, []byte{g.Unreachable}), "load x: describe: wasm error: unreachable"},
		{"a spin", export(g.TypeVoid, forever()), "deadline"},
		{"an exit", initialize(func(p *made) []byte { return p.call("proc_exit", 0) }, wasi+"proc_exit"), "load x: describe: module closed with exit_code(0)"},
		{"output", initialize(func(p *made) []byte { return p.call("output", 0, 8) }), "load x: describe: the guest's answer: bytes follow the last attachment of the frame"},
		{"input", initialize(func(p *made) []byte { return append(p.call("input", 0, 8), g.Drop) }, "ohhost_v1.input"), ""},
		{"a pointer outside", initialize(func(p *made) []byte { return p.call("log", 1, -1, 1) }, "ohhost_v1.log"), "load x: describe: the guest passed a pointer outside its memory"},
		{"a request", initialize(func(p *made) []byte { return append(p.call("invoke", 1024, 8), g.Drop) }, "ohhost_v1.invoke"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, func(o *host.Options) { o.NoCache = true })
			ctx, cancel := context.WithTimeout(t.Context(), hangLimit)
			if c.want == "deadline" {
				ctx, cancel = context.WithTimeout(t.Context(), shortTime)
			}
			defer cancel()
			err := h.Load(ctx, "x", c.wasm, nil)
			switch c.want {
			case "":
				require.NoError(t, err)
				b, err := h.Bind(ctx, "made", &tool.Grant{})
				require.NoError(t, err)
				requireAnswers(t, b)
				return
			case "deadline":
				require.ErrorIs(t, err, context.DeadlineExceeded)
			default:
				require.EqualError(t, err, c.want)
			}
			require.Empty(t, h.Specs())
		})
	}
}

// TestA3Signatures: each export of the contract with another signature, kind, or not
// at all.
func TestA3Signatures(t *testing.T) {
	t.Parallel()
	// module exports each of names as it says: a type of a function, or -1 for a memory.
	module := func(exports map[string]int) []byte {
		b := g.New()
		types := []uint32{b.Type(nil, nil), b.Type(nil, []byte{g.I32}), b.Type([]byte{g.I32}, []byte{g.I32}), b.Type([]byte{g.I64}, []byte{g.I32}), b.Type([]byte{g.I32}, []byte{g.I32, g.I32})}
		bodies := [][]byte{nil, g.I32Const(0), g.I32Const(0), g.I32Const(0), slices.Concat(g.I32Const(0), g.I32Const(0))}
		memory := b.Memory(g.Limits(1))
		for name, typ := range exports {
			if typ < 0 {
				b.Export(name, g.KindMemory, memory)
				continue
			}
			b.Export(name, g.KindFunc, b.Func(types[typ], nil, bodies[typ]))
		}
		return b.Bytes()
	}
	const memory, void, i32, i32i32, i64i32, two = -1, 0, 1, 2, 3, 4
	for _, c := range []struct {
		name    string
		exports map[string]int
		want    string
	}{
		{"no memory", map[string]int{"oh_describe": i32, "oh_call": i32i32}, `the module does not export its memory as "memory"`},
		{"memory is a function", map[string]int{"memory": void, "oh_describe": i32, "oh_call": i32i32}, `the module does not export its memory as "memory"`},
		{"no describe", map[string]int{"memory": memory, "oh_call": i32i32}, "the module does not export oh_describe () -> i32"},
		{"describe is a memory", map[string]int{"memory": memory, "oh_describe": memory, "oh_call": i32i32}, "the module does not export oh_describe () -> i32"},
		{"describe without a result", map[string]int{"memory": memory, "oh_describe": void, "oh_call": i32i32}, "the module exports oh_describe with another signature than () -> i32"},
		{"no call", map[string]int{"memory": memory, "oh_describe": i32}, "the module does not export oh_call (i32) -> i32"},
		{"call without a parameter", map[string]int{"memory": memory, "oh_describe": i32, "oh_call": i32}, "the module exports oh_call with another signature than (i32) -> i32"},
		{"call of an i64", map[string]int{"memory": memory, "oh_describe": i32, "oh_call": i64i32}, "the module exports oh_call with another signature than (i32) -> i32"},
		{"call with two results", map[string]int{"memory": memory, "oh_describe": i32, "oh_call": two}, "the module exports oh_call with another signature than (i32) -> i32"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, func(o *host.Options) { o.NoCache = true })
			require.EqualError(t, h.Load(t.Context(), "x", module(c.exports), nil), "load x: "+c.want)
			require.Empty(t, h.Specs())
		})
	}
	for _, c := range []struct {
		module, name    string
		params, results []byte
	}{
		{"ohhost_v1", "log", []byte{g.I32}, nil},
		{"ohhost_v1", "invoke", []byte{g.I32, g.I32}, []byte{g.I32}},
		{"ohhost_v1", "input", []byte{g.I64, g.I64}, []byte{g.I32}},
		{"wasi_snapshot_preview1", "random_get", []byte{g.I64, g.I32}, []byte{g.I32}},
		{"wasi_snapshot_preview1", "fd_read", []byte{g.I32}, nil},
	} {
		t.Run("import "+c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, func(o *host.Options) { o.NoCache = true })
			p := g.Plugin{Imports: func(b *g.Builder) { b.Import(c.module, c.name, g.KindFunc, g.U32(b.Type(c.params, c.results))) }}
			err := h.Load(t.Context(), "x", p.Bytes(), nil)
			require.ErrorContains(t, err, "signature mismatch")
			require.ErrorContains(t, err, c.name)
			require.Empty(t, h.Specs())
		})
	}
}

// TestA6Closed: what is called after its host or itself was closed fails, and a call
// that runs when its host is closed ends with it.
func TestA6Closed(t *testing.T) {
	t.Parallel()
	h, err := host.New(&host.Options{NoCache: true, StateDir: t.TempDir()})
	require.NoError(t, err)
	b := bind(t, h, "telling", telling())
	requireAnswers(t, b)
	spin := newMade()
	spin.Call = forever()
	spinning := bind(t, h, "spinning", spin.Bytes())
	ended := make(chan error, 1)
	go func() {
		_, err := call(spinning, hangLimit)
		ended <- err
	}()
	var closed chan error
	_, err = b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: func(string) {
		closed = make(chan error, 1)
		ctx, cancel := context.WithTimeout(context.Background(), shortTime)
		go func() {
			defer cancel()
			closed <- h.Close(ctx)
		}()
		for !errors.Is(h.Load(ctx, "x", nil, nil), host.ErrClosed) { // it has begun
			time.Sleep(time.Millisecond)
		}
	}})
	require.NoError(t, err, "a call that runs may end")
	require.NoError(t, <-closed)
	require.ErrorIs(t, <-ended, host.ErrClosed)
	for range 3 {
		_, err = call(b, hangLimit)
		require.ErrorIs(t, err, host.ErrClosed)
		require.NoError(t, b.(io.Closer).Close())
	}
	require.ErrorIs(t, h.Load(t.Context(), "x", spin.Bytes(), nil), host.ErrClosed)
}

// TestS7Imports: a function that the host does not have is not linked as one that
// does nothing, whatever it is called.
func TestS7Imports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ module, name, want string }{
		{"env", "abort", "load x: the module imports env.abort; only wasi_snapshot_preview1 and ohhost_v1 may be imported"},
		{"", "", "load x: the module imports .; only wasi_snapshot_preview1 and ohhost_v1 may be imported"},
		{"ohhost_v1", "exec", "load x: the module imports ohhost_v1.exec, which this host does not have"},
		{"ohhost_v1", "", "load x: the module imports ohhost_v1., which this host does not have"},
		{"ohhost_v1", "Output", "load x: the module imports ohhost_v1.Output, which this host does not have"},
		{"ohhost_v2", "output", "load x: the module imports ohhost_v2.output; only wasi_snapshot_preview1 and ohhost_v1 may be imported"},
		{"wasi_unstable", "fd_write", "load x: the module imports wasi_unstable.fd_write; only wasi_snapshot_preview1 and ohhost_v1 may be imported"},
		{"ohhost_meter", "yield", `load x: section import: the module imports "yield" from "ohhost_meter"; names that begin with ohhost_meter are the host's own`},
	} {
		t.Run(c.module+" "+c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, func(o *host.Options) { o.NoCache = true })
			p := g.Plugin{Imports: func(b *g.Builder) { b.Import(c.module, c.name, g.KindFunc, g.U32(g.TypeVoid)) }}
			require.EqualError(t, h.Load(t.Context(), "x", p.Bytes(), nil), c.want)
			require.Empty(t, h.Specs())
		})
	}
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := g.Plugin{Imports: func(b *g.Builder) { b.Import("wasi_snapshot_preview1", "path_exec", g.KindFunc, g.U32(g.TypeVoid)) }}
	require.ErrorContains(t, h.Load(t.Context(), "x", p.Bytes(), nil), "path_exec")
	require.Empty(t, h.Specs())
}

// TestS8Linking: a module cannot have a memory, a table, a global or a function of
// another that is loaded, by whatever name.
func TestS8Linking(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := g.Plugin{More: func(b *g.Builder) { b.Export("table", g.KindTable, b.Table(g.FuncRef, g.Limits(1))) }}
	requireAnswers(t, bind(t, h, "first", p.Bytes()))
	importing := func(module, name string, kind byte, desc []byte) []byte {
		b := g.New()
		for range 3 { // as many as a plugin has before (i32) -> i32
			b.Type([]byte{g.I32}, []byte{g.I32})
		}
		b.Import(module, name, kind, desc)
		return b.Bytes()
	}
	for _, c := range []struct {
		kind byte
		name string
		desc []byte
	}{
		{g.KindMemory, "memory", g.Limits(1)},
		{g.KindTable, "table", slices.Concat([]byte{g.FuncRef}, g.Limits(1))},
		{g.KindFunc, "oh_call", g.U32(g.TypeI32I32)},
		{g.KindGlobal, "global", g.GlobalType(g.I32, true)},
	} {
		for _, module := range []string{"first", "", "made", "plugin"} {
			require.EqualError(t, h.Load(t.Context(), "second", importing(module, c.name, c.kind, c.desc), nil), "load second: the module imports "+module+"."+c.name+
				"; only wasi_snapshot_preview1 and ohhost_v1 may be imported")
		}
		if c.kind != g.KindFunc {
			require.EqualError(t, h.Load(t.Context(), "second", importing("wasi_snapshot_preview1", "memory", c.kind, c.desc), nil), "load second: the module imports the "+c.name+
				" wasi_snapshot_preview1.memory; it must have its own")
		}
	}
	require.Len(t, h.Specs(), 1)
}

package instrument_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	w "github.com/ohhost/ohhost/internal/wasmgen"
)

const (
	wasi             = "wasi_snapshot_preview1"
	errnoInval       = 28
	errnoNameTooLong = 37
)

// A wasiFunc is one of preview 1, with i for i32 and I for i64 parameters.
type wasiFunc struct{ name, params string }

func (f wasiFunc) types() (types []byte) {
	for _, c := range f.params {
		types = append(types, map[rune]byte{'i': w.I32, 'I': w.I64}[c])
	}
	return types
}

// wasiFuncs are those that a guest can make work by the size of an argument, and some
// others. https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
var wasiFuncs = []wasiFunc{
	{"fd_read", "iiii"}, {"fd_pread", "iiiIi"}, {"fd_write", "iiii"}, {"fd_pwrite", "iiiIi"}, {"sock_recv", "iiiiii"}, {"sock_send", "iiiii"},
	{"fd_readdir", "iiiIi"}, {"path_create_directory", "iii"}, {"path_filestat_get", "iiiii"}, {"path_filestat_set_times", "iiiiIIi"},
	{"path_link", "iiiiiii"}, {"path_open", "iiiiiIIii"}, {"path_readlink", "iiiiii"}, {"path_remove_directory", "iii"},
	{"path_rename", "iiiiii"}, {"path_symlink", "iiiii"}, {"path_unlink_file", "iii"}, {"poll_oneoff", "iiii"}, {"random_get", "ii"},
	{"fd_close", "i"}, {"fd_seek", "iIii"}, {"clock_time_get", "iIi"},
}

// A fakeWASI records the calls of its functions.
type fakeWASI struct {
	calls []string
	errno func(call int) uint32
}

func (f *fakeWASI) runtime(t testing.TB, e engine, m *meter) wazero.Runtime {
	r := e.runtime(t, m)
	b := r.NewHostModuleBuilder(wasi)
	for _, fn := range wasiFuncs {
		types := fn.types()
		params := make([]api.ValueType, len(types))
		for i := range types {
			params[i] = api.ValueType(types[i])
		}
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
			args := slices.Clone(stack[:len(params)])
			for i, t := range types {
				if t == w.I32 { // above it there may be anything
					args[i] = uint64(api.DecodeU32(args[i]))
				}
			}
			f.calls = append(f.calls, fmt.Sprint(fn.name, args))
			stack[0] = 0
			if f.errno != nil {
				stack[0] = uint64(f.errno(len(f.calls)))
			}
		}), params, []api.ValueType{api.ValueTypeI32}).Export(fn.name)
	}
	_, err := b.Instantiate(context.Background())
	require.NoError(t, err)
	return r
}

// wasiModule exports each function again, by itself.
func wasiModule() []byte {
	b := w.New()
	for _, f := range wasiFuncs {
		index := b.Import(wasi, f.name, w.KindFunc, w.U32(b.Type(f.types(), []byte{w.I32})))
		b.Export(f.name, w.KindFunc, index)
	}
	b.Memory(w.Limits(5))
	return b.Bytes()
}

// TestC2WASIArguments tries the arguments of WASI functions that the host works for
// in proportion: at their bounds they pass, above they are lowered or refused.
func TestC2WASIArguments(t *testing.T) {
	const lowered = 0
	tests := []struct {
		name  string
		param int
		max   uint64
		errno uint64 // or lowered
	}{
		{"fd_read", 2, 16, lowered}, {"fd_pread", 2, 16, lowered}, {"fd_write", 2, 16, lowered}, {"fd_pwrite", 2, 16, lowered},
		{"sock_recv", 2, 16, lowered}, {"sock_send", 2, 16, lowered}, {"fd_readdir", 2, 1 << 20, lowered},
		{"path_create_directory", 2, 4096, errnoNameTooLong}, {"path_filestat_get", 3, 4096, errnoNameTooLong},
		{"path_filestat_set_times", 3, 4096, errnoNameTooLong}, {"path_link", 3, 4096, errnoNameTooLong}, {"path_link", 6, 4096, errnoNameTooLong},
		{"path_open", 3, 4096, errnoNameTooLong}, {"path_readlink", 2, 4096, errnoNameTooLong}, {"path_readlink", 4, 1 << 20, lowered},
		{"path_remove_directory", 2, 4096, errnoNameTooLong}, {"path_rename", 2, 4096, errnoNameTooLong}, {"path_rename", 5, 4096, errnoNameTooLong},
		{"path_symlink", 1, 4096, errnoNameTooLong}, {"path_symlink", 4, 4096, errnoNameTooLong}, {"path_unlink_file", 2, 4096, errnoNameTooLong},
		{"poll_oneoff", 2, 4096, errnoInval},
	}
	for _, e := range engines() {
		fake := &fakeWASI{}
		mod := instantiate(t, fake.runtime(t, e, &meter{}), rewritten(t, wasiModule(), nil))
		for _, c := range tests {
			t.Run(fmt.Sprintf("%s/%s/%d", e.name, c.name, c.param), func(t *testing.T) {
				params := wasiFuncs[slices.IndexFunc(wasiFuncs, func(f wasiFunc) bool { return f.name == c.name })].params
				for _, v := range []uint64{0, c.max - 1, c.max, c.max + 1, 1 << 31, 1<<32 - 1} {
					args := make([]uint64, len(params))
					for i := range args {
						args[i] = uint64(i) + 1
					}
					args[c.param] = v
					fake.calls = nil
					res, err := mod.ExportedFunction(c.name).Call(context.Background(), args...)
					require.NoError(t, err)
					if v > c.max && c.errno != lowered {
						require.Equal(t, c.errno, res[0])
						require.Empty(t, fake.calls)
						continue
					}
					args[c.param] = min(v, c.max)
					require.Zero(t, res[0])
					require.Equal(t, []string{fmt.Sprint(c.name, args)}, fake.calls)
				}
			})
		}
		for _, c := range []struct {
			name string
			args []uint64
		}{{"fd_close", []uint64{1<<32 - 1}}, {"fd_seek", []uint64{1, 1 << 63, 1<<32 - 1, 1 << 20}}, {"clock_time_get", []uint64{1 << 20, 1 << 40, 1 << 20}}} {
			fake.calls = nil
			_, err := mod.ExportedFunction(c.name).Call(context.Background(), c.args...)
			require.NoError(t, err)
			require.Equal(t, []string{fmt.Sprint(c.name, c.args)}, fake.calls, "it has no bound")
		}
	}
}

// TestC2RandomInPieces fills much memory with random bytes.
func TestC2RandomInPieces(t *testing.T) {
	tests := []struct {
		length uint64
		fails  int // the call of the host that does
		want   []string
		yields int
	}{
		{0, 0, []string{"random_get[7 0]"}, 1},
		{65536, 0, []string{"random_get[7 65536]"}, 1},
		{65537, 0, []string{"random_get[7 65536]", "random_get[65543 1]"}, 2},
		{200_000, 0, []string{"random_get[7 65536]", "random_get[65543 65536]", "random_get[131079 65536]", "random_get[196615 3392]"}, 4},
		{200_000, 2, []string{"random_get[7 65536]", "random_get[65543 65536]"}, 2},
		{10, 1, []string{"random_get[7 10]"}, 1},
		{1<<32 - 1, 3, []string{"random_get[7 65536]", "random_get[65543 65536]", "random_get[131079 65536]"}, 3},
	}
	for _, e := range engines() {
		for _, c := range tests {
			t.Run(fmt.Sprint(e.name, "/", c.length, "/", c.fails), func(t *testing.T) {
				fake := &fakeWASI{errno: func(call int) uint32 {
					if call == c.fails {
						return 21
					}
					return 0
				}}
				m := &meter{budget: 0}
				mod := instantiate(t, fake.runtime(t, e, m), rewritten(t, wasiModule(), nil))
				res, err := mod.ExportedFunction("random_get").Call(context.Background(), 7, c.length)
				require.NoError(t, err)
				require.Equal(t, c.want, fake.calls)
				require.Equal(t, c.fails != 0, res[0] == 21)
				require.Equal(t, c.yields, m.yields)
			})
		}
	}
}

// TestWASIOfOtherTypes imports WASI functions with signatures that they do not have:
// nothing is put before them, and they do not link.
func TestWASIOfOtherTypes(t *testing.T) {
	for _, f := range []struct {
		name            string
		params, results []byte
	}{
		{"fd_read", []byte{w.I32, w.I32, w.I64, w.I32}, []byte{w.I32}}, {"fd_read", []byte{w.I32, w.I32}, []byte{w.I32}},
		{"fd_read", nil, nil}, {"random_get", []byte{w.I32, w.I64}, []byte{w.I32}}, {"random_get", []byte{w.I32, w.I32}, []byte{w.I64}},
		{"path_open", []byte{w.V128}, []byte{w.I32, w.I32}},
	} {
		b := w.New()
		b.Export("f", w.KindFunc, b.Import(wasi, f.name, w.KindFunc, w.U32(b.Type(f.params, f.results))))
		r := (&fakeWASI{}).runtime(t, interpreter, &meter{})
		_, err := r.InstantiateWithConfig(context.Background(), rewritten(t, b.Bytes(), nil), wazero.NewModuleConfig())
		require.ErrorContains(t, err, "signature mismatch", "%+v", f)
	}
}

// TestMovedFunctions reaches a function that another was put before, and functions
// behind it, in every way that a module can.
func TestMovedFunctions(t *testing.T) {
	b := w.New()
	bound := b.Type([]byte{w.I32, w.I32, w.I32}, []byte{w.I32}) // path_unlink_file
	none := b.Type(nil, nil)
	i32 := b.Type(nil, []byte{w.I32})
	other := b.Import("env", "other", w.KindFunc, w.U32(i32))
	unlink := b.Import(wasi, "path_unlink_file", w.KindFunc, w.U32(bound))
	b.Table(w.FuncRef, w.Limits(8))
	b.Table(w.FuncRef, w.Limits(8))
	b.Memory(w.Limits(1))
	b.Global(w.FuncRef, false, w.Op(0xd2, unlink))
	b.Global(w.I32, true, w.I32Const(0))
	long := slices.Concat(w.I32Const(3), w.I32Const(0), w.I32Const(5000)) // a path that is too long
	seven := b.Func(i32, nil, w.I32Const(7))
	start := b.Func(none, nil, w.I32Const(1), w.Op(w.GlobalSet, 1))
	b.Start(start)
	add := func(name string, code ...[]byte) { b.Export(name, w.KindFunc, b.Func(i32, nil, code...)) }
	add("call", long, w.Op(w.Call, unlink))
	add("tail call", long, w.Op(0x12, unlink))
	add("active segment", long, w.I32Const(1), w.Op(w.CallIndirect, bound, 0))
	add("active segment, tail", long, w.I32Const(1), w.Op(0x13, bound, 0))
	add("expressions", long, w.I32Const(2), w.Op(w.CallIndirect, bound, 1))
	add("passive segment", w.I32Const(5), w.I32Const(0), w.I32Const(2), []byte{0xfc, 12, 1, 0}, long, w.I32Const(6), w.Op(w.CallIndirect, bound, 0))
	add("ref.func", w.I32Const(4), w.Op(0xd2, unlink), w.Op(0x26, 0), long, w.I32Const(4), w.Op(w.CallIndirect, bound, 0))
	add("global", w.I32Const(4), w.Op(w.GlobalGet, 0), w.Op(0x26, 1), long, w.I32Const(4), w.Op(w.CallIndirect, bound, 1))
	add("a function before", w.Op(w.Call, other))
	add("a function behind", w.I32Const(2), w.Op(w.CallIndirect, i32, 0))
	add("start", w.Op(w.GlobalGet, 1))
	b.Export("exported import", w.KindFunc, unlink)
	b.Export("exported function", w.KindFunc, seven)
	b.Elem(w.I32Const(0), other, unlink, seven)
	b.Repeat(w.SectionElem, 1, slices.Concat([]byte{1, 0, 2}, w.U32(seven), w.U32(unlink)))
	b.Repeat(w.SectionElem, 1, slices.Concat([]byte{6, 1}, w.I32Const(2), []byte{w.End, w.FuncRef, 1}, w.Op(0xd2, unlink), []byte{w.End}))

	for _, e := range engines() {
		fake := &fakeWASI{errno: func(int) uint32 { return 99 }}
		r := fake.runtime(t, e, &meter{})
		_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func() uint32 { return 5 }).Export("other").Instantiate(context.Background())
		require.NoError(t, err)
		mod := instantiate(t, r, rewritten(t, b.Bytes(), nil))
		for name, want := range map[string]uint64{
			"call": errnoNameTooLong, "tail call": errnoNameTooLong, "active segment": errnoNameTooLong, "active segment, tail": errnoNameTooLong,
			"expressions": errnoNameTooLong, "passive segment": errnoNameTooLong, "ref.func": errnoNameTooLong, "global": errnoNameTooLong,
			"a function before": 5, "a function behind": 7, "start": 1, "exported function": 7,
		} {
			res, err := mod.ExportedFunction(name).Call(context.Background())
			require.NoError(t, err, name)
			require.Equal(t, want, res[0], "%s, %s", e.name, name)
		}
		res, err := mod.ExportedFunction("exported import").Call(context.Background(), 3, 0, 5000)
		require.NoError(t, err)
		require.EqualValues(t, errnoNameTooLong, res[0])
		require.Empty(t, fake.calls)
		res, err = mod.ExportedFunction("exported import").Call(context.Background(), 3, 0, 4096)
		require.NoError(t, err)
		require.EqualValues(t, 99, res[0])
	}
}

// TestStartOfTheHost has a start function that is imported.
func TestStartOfTheHost(t *testing.T) {
	b := w.New()
	f := b.Import("env", "start", w.KindFunc, w.U32(b.Type(nil, nil)))
	b.Start(f)
	for _, e := range engines() {
		started := 0
		r := e.runtime(t, &meter{})
		_, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func() { started++ }).Export("start").Instantiate(context.Background())
		require.NoError(t, err)
		instantiate(t, r, rewritten(t, b.Bytes(), nil))
		require.Equal(t, 1, started)
	}
}

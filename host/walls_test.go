package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// made is a plugin of package wasmgen with what its code calls.
type made struct {
	g.Plugin
	funcs  map[string]uint32
	params map[string][]byte
}

// signatures of what made plugins import, but for output, which they all do.
var signatures = map[string]struct{ params, results []byte }{
	"ohhost_v1.input":                          {[]byte{g.I32, g.I32}, []byte{g.I32}},
	"ohhost_v1.log":                            {[]byte{g.I32, g.I32, g.I32}, nil},
	"ohhost_v1.progress":                       {[]byte{g.I32, g.I32}, nil},
	"ohhost_v1.invoke":                         {[]byte{g.I32, g.I32}, []byte{g.I64}},
	"wasi_snapshot_preview1.random_get":        {[]byte{g.I32, g.I32}, []byte{g.I32}},
	"wasi_snapshot_preview1.poll_oneoff":       {[]byte{g.I32, g.I32, g.I32, g.I32}, []byte{g.I32}},
	"wasi_snapshot_preview1.clock_time_get":    {[]byte{g.I32, g.I64, g.I32}, []byte{g.I32}},
	"wasi_snapshot_preview1.proc_exit":         {[]byte{g.I32}, nil},
	"wasi_snapshot_preview1.sched_yield":       {nil, []byte{g.I32}},
	"wasi_snapshot_preview1.fd_write":          {[]byte{g.I32, g.I32, g.I32, g.I32}, []byte{g.I32}},
	"wasi_snapshot_preview1.fd_readdir":        {[]byte{g.I32, g.I32, g.I32, g.I64, g.I32}, []byte{g.I32}},
	"wasi_snapshot_preview1.path_filestat_get": {[]byte{g.I32, g.I32, g.I32, g.I32, g.I32}, []byte{g.I32}},
}

// newMade returns a plugin with these imports, called as "input", "random_get".
func newMade(imports ...string) *made {
	m := &made{
		funcs:  map[string]uint32{"output": g.FuncOutput},
		params: map[string][]byte{"output": {g.I32, g.I32}},
	}
	m.Imports = func(b *g.Builder) {
		for _, name := range imports {
			module, short, _ := strings.Cut(name, ".")
			b.Import(module, short, g.KindFunc, g.U32(b.Type(signatures[name].params, signatures[name].results)))
		}
	}
	for i, name := range imports {
		_, short, _ := strings.Cut(name, ".")
		m.funcs[short], m.params[short] = uint32(i+1), signatures[name].params
	}
	return m
}

// call is a call of an imported function with constant arguments.
func (m *made) call(name string, args ...int32) []byte {
	var code []byte
	for i, a := range args {
		if m.params[name][i] == g.I64 {
			code = append(code, g.I64Const(int64(a))...)
			continue
		}
		code = append(code, g.I32Const(a)...)
	}
	return append(code, g.Op(g.Call, m.funcs[name])...)
}

// more is the index of the first function that is added in More, and of its type.
func (m *made) more() uint32     { return g.FuncMore + uint32(len(m.funcs)) - 1 }
func (m *made) moreType() uint32 { return g.TypeMore + uint32(len(m.funcs)) - 1 }

// Codes that plugins here are made of.
var (
	forever = func(code ...[]byte) []byte {
		return slices.Concat([]byte{g.Loop, g.Void}, slices.Concat(code...), g.Op(g.Br, 0), []byte{g.End})
	}
	memoryGrow = []byte{0x40, 0}
	memorySize = []byte{0x3f, 0}
	drop       = []byte{g.Drop}
	// back ends oh_call with the number on the stack: the caller reads it in the
	// fault, "oh_call returned 7".
	back = []byte{g.Return}
)

const (
	i32Ne, i32And, i32Sub, i64Store = 0x47, 0x71, 0x6b, 0x37
)

// while repeats code for as long as what it leaves is not 0.
func while(code ...[]byte) []byte {
	return slices.Concat([]byte{g.Loop, g.Void}, slices.Concat(code...), g.Op(g.BrIf, 0), []byte{g.End})
}

// growAll grows the memory for as long as it gets so many pages.
func growAll(pages int32) []byte {
	return while(g.I32Const(pages), memoryGrow, g.I32Const(-1), []byte{i32Ne})
}

// bulk is an instruction behind the prefix 0xfc (5.4.7).
func bulk(number uint32, immediates ...byte) []byte {
	return slices.Concat([]byte{0xfc}, g.U32(number), immediates)
}

// bind loads a made plugin under a tool's name of its own and binds it.
func bind(t testing.TB, h *host.Host, name string, wasm []byte) tool.Tool {
	t.Helper()
	return bindIn(t, h, name, wasm, workspace(t))
}

func bindIn(t testing.TB, h *host.Host, name string, wasm []byte, dir string) tool.Tool {
	t.Helper()
	specs := []*abi.Spec{{Name: name, InputSchema: abi.JSON(`{}`)}}
	require.NoError(t, h.Load(context.Background(), name, wasm, specs))
	b, err := h.Bind(context.Background(), name, &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}})
	require.NoError(t, err)
	return b
}

// call calls a tool with a deadline; 0 is none.
func call(b tool.Tool, deadline time.Duration) (*abi.Result, error) {
	ctx := context.Background()
	if deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	return b.Call(ctx, &tool.Call{Args: []byte(`{}`)})
}

func isDeadline(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// requireWell asserts that a plugin of the host answers: nothing of an attack before
// has stayed.
func requireWell(t testing.TB, h *host.Host) {
	t.Helper()
	var p g.Plugin
	name := fmt.Sprint("well", time.Now().UnixNano())
	requireAnswers(t, bind(t, h, name, p.Bytes()))
}

func requireAnswers(t testing.TB, b tool.Tool) {
	t.Helper()
	res, err := call(b, 0)
	require.NoError(t, err)
	require.Equal(t, "made", res.Content[0].Text)
}

// rss is how much memory the process has, in bytes, after the collector gave back
// what it could; 0 where /proc does not tell.
func rss() int64 {
	debug.FreeOSMemory()
	return residentNow()
}

func residentNow() int64 {
	b, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// requireSoon waits for what other goroutines end up with. It has none of its own, so
// that they can be counted.
func requireSoon(t testing.TB, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hangLimit); !holds(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "it does not come to hold")
	}
}

// bombs are those of package wasmgen for one threat.
func bombs(threat string) []g.Bomb {
	return slices.DeleteFunc(g.Bombs(), func(b g.Bomb) bool { return b.Threat != threat })
}

package selftest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/tool"
)

// soon is the bounds of tests in which attacks get through. Where a test waits for
// hang, it is shorter.
var soon = bounds{deadline: 50 * time.Millisecond, hang: 5 * time.Second, memory: 24 << 20, race: 400 * time.Millisecond}

// attempt tries a vector against what make makes.
func attempt(t *testing.T, id string, b bounds, make maker) Result {
	t.Helper()
	i := slices.IndexFunc(vectors, func(v vector) bool { return v.id == id })
	require.GreaterOrEqual(t, i, 0, id)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w, err := newWorld(filepath.Join(dir, id), filepath.Join(dir, "cache"), b)
	require.NoError(t, err)
	if make != nil {
		w.newHost = make
	}
	return w.attempt(t.Context(), vectors[i])
}

// TestThrough: each vector sees when it gets through: against a host with a hole, or
// what stands for one, and says by what.
func TestThrough(t *testing.T) {
	if host.Interpreted {
		t.Skip("holes in time and memory are not seen with -race, where everything is slow and large")
	}
	panics := doing(&naive{}, func(_ context.Context, c *tool.Call) {
		if attacking(c) {
			panic("index out of range")
		}
	})
	garbles := doing(&naive{spoil: func(b []byte) {
		if len(b) > 1000 {
			b[1000]++
		}
	}}, nil)
	nothing := doing(&naive{}, nil)
	logging := func(o *host.Options) (target, error) {
		return doing(&naive{}, func(context.Context, *tool.Call) {
			if o.Logger != nil {
				o.Logger.Info("a line")
			}
		})(o)
	}
	tested := map[string]bool{}
	for _, c := range []struct {
		id   string
		hole string
		host maker
		want string
	}{
		{"F1", "a grant that covers the canary", granting(everything), "the guest has the content of a file outside, through"},
		{"F2", "a grant that covers the canary", granting(everything), "the guest has the content of a file outside, through"},
		{"F3", "a grant that covers the canary", granting(everything), `the guest has .* through "/work/relative".*out/canary was`},
		{"F4", "a grant that covers the canary", granting(everything), `leads to "/out".*out/canary was (changed|removed)`},
		{"F6", "a grant that covers the canary", granting(everything), "the guest has (the|found|learnt)|out/new was made"},
		{"F7", "a grant that covers the canary", granting(everything), "ro/file was (changed|removed)"},
		{"F7", "no wall", nothing, "out/canary was changed"},
		{"F8", "a grant that covers what is read-only", granting(everything), "ro/file was (changed|removed)"},
		{"F9", "a grant that covers what is read-only", granting(everything), "ro/sub/(file was removed|new was made)"},
		{"F10", "no wall", nothing, "the kernel shows the guest what is in /proc/"},
		{"F11", "no wall", nothing, "the guest has read from /.*zero"},
		{"F12", "no wall", nothing, "the guest has the content of a file outside, through"},
		{"F13", "higher limits", unlimited, `a directory of 120 entries was listed, the limit is 100.*one call wrote \d+ bytes, the limit is 262144`},
		{"F14", "no protected paths", granting(unprotected), `work/home/\S+ was (made|changed|removed)`},
		{"F15", "no protected paths", granting(unprotected), `work/home/\S+ was (made|changed|removed)`},
		{"F17", "a grant that covers the canary", granting(everything), "the guest has the content of a file outside, through"},
		{"R1", "calls that do not hear of deadlines", deaf(t), "a call was still running 500ms after its deadline"},
		{"R1", "calls that end", nothing, "an endless loop: the call ended by itself.*recursion without end came to an end"},
		{"R2", "calls that do not hear of deadlines", deaf(t), "a call was still running 500ms after its deadline"},
		{"R3", "calls that take memory", greedy(80 << 20), `a guest that may have 32 MiB took \d+ MiB of memory`},
		{"R4", "calls that take memory", greedy(64 << 20), `a table that grows took \d+ MiB of memory`},
		{"R5", "all modules are taken", nothing, "the module was loaded, and ran"},
		{"R7", "higher limits", unlimited, "a guest had 25[0-9] files open, the limit is 64"},
		{"R8", "calls that leave something", leaky(t), "an open file was left behind: /dev/null.*goroutines left behind"},
		{"R9", "higher limits", unlimited, `\d+ lines were logged, the limit is 100`},
		{"R9", "calls that end", logging, "an answer without end came to an end.*an answer with .* came through"},
		{"R10", "higher limits", unlimited, "asking a service: nothing but the deadline ended it"},
		{"R11", "calls that do not hear of deadlines", deaf(t), "a call was still running 500ms after its deadline"},
		{"R12", "calls that do not hear of deadlines", deaf(t), "a call was still running 500ms after its deadline"},
		{"R13", "calls that take memory", greedy(96 << 20), `took \d+ MiB of memory`},
		{"R14", "calls that end", nothing, "recursion with .* came to an end.*1000000 locals: the module was loaded, and ran"},
		{"A1", "calls that end", nothing, `input took 32 bytes at 0xfffffff0 of a memory of 65536`},
		{"A2", "answers that change", garbles, "an answer was garbled when memory moved.*; a file was garbled when memory moved"},
		{"A3", "all modules are taken", nothing, "no memory: the module was loaded, and ran"},
		{"A4", "all modules are taken", nothing, "the module was loaded, and ran"},
		{"A5", "all modules are taken", nothing, `a tool named "": the module was loaded, and ran`},
		{"A6", "no wall", nothing, "this was taken for an answer.*a file was written after the deadline"},
		{"A7", "a panic", panics, "the host panicked: index out of range"},
		{"S1", "a cache that is not authenticated", trust, `code of another user's cache: the plugin answered "evil"`},
		{"S2", "a cache that is not authenticated", trust, "a cache that all can write to: prepared code was run|prepared code was run"},
		{"S7", "all modules are taken", nothing, "env.system: the module was loaded, and ran"},
		{"S8", "all modules are taken", nothing, "a start function: the module was loaded, and ran"},
	} {
		tested[c.id] = true
		t.Run(c.id+" "+c.hole, func(t *testing.T) {
			b := soon
			if c.id == "R10" || strings.Contains(c.hole, "deadlines") {
				b.hang = 500 * time.Millisecond
			}
			r := attempt(t, c.id, b, c.host)
			require.Equal(t, Through, r.Outcome, "%+v", r)
			require.Regexp(t, c.want, r.Detail)
			require.Empty(t, r.Wall)
		})
	}
	for _, v := range vectors {
		require.True(t, tested[v.id], "%s: nothing shows that it can fail", v.id)
	}
}

// TestStopped: the same vectors do not see holes where there are none. All of them
// are tried by `ohhost selftest`, of which testdata/script/selftest.txtar has a run.
func TestStopped(t *testing.T) {
	if host.Interpreted {
		t.Skip("with -race, memory and time say nothing")
	}
	for _, id := range []string{"F1", "F8", "R7", "A1", "S1"} {
		r := attempt(t, id, usual, nil)
		require.Equal(t, Stopped, r.Outcome, "%+v", r)
		require.NotEmpty(t, r.Wall)
		require.NotContains(t, r.Detail, os.TempDir())
	}
}

// TestStoppedWithoutOpenat2: the walls of files stand where the kernel lacks openat2.
func TestStoppedWithoutOpenat2(t *testing.T) {
	without := func(o *host.Options) (target, error) {
		o.JailBackend = jail.OSRoot
		return host.New(o)
	}
	if host.Interpreted {
		t.Skip("with -race, it takes minutes")
	}
	for _, v := range vectors {
		if v.id[0] != 'F' {
			continue
		}
		t.Run(v.id, func(t *testing.T) {
			r := attempt(t, v.id, usual, without)
			require.Equal(t, Stopped, r.Outcome, "%+v", r)
		})
	}
}

// TestNotTried: what cannot be set up is not tried, and says why; a guest that can do
// nothing proves nothing.
func TestNotTried(t *testing.T) {
	broken := func(*host.Options) (target, error) { return nil, errors.New("no host today") }
	r := attempt(t, "F1", soon, broken)
	require.Equal(t, Result{ID: "F1", Title: r.Title, Outcome: NotTried, Detail: "no host today", TookMS: r.TookMS}, r)

	numb := doing(stub(func(context.Context, *tool.Call) (*abi.Result, error) {
		return &abi.Result{Fields: []abi.Field{{Name: "replies", Text: []byte("00")}}}, nil
	}), nil)
	r = attempt(t, "F1", soon, numb)
	require.Equal(t, NotTried, r.Outcome)
	require.Equal(t, "the puppet made 0 replies to 5 steps", r.Detail)

	r = attempt(t, "F1", soon, granting(func(g *tool.Grant) { g.Paths = g.Paths[1:] }))
	require.Equal(t, NotTried, r.Outcome)
	require.Contains(t, r.Detail, "the guest cannot even use the files it was granted")
}

// TestLeftBehind: what an attack leaves in the process, or in the host, is seen
// whatever it was.
func TestLeftBehind(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	stuck := func(*host.Options) (target, error) {
		return &obliging{tool: func(string) tool.Tool { return stub(made) }, close: func() { <-end }}, nil
	}
	b := soon
	b.hang = 500 * time.Millisecond
	r := attempt(t, "S7", b, stuck)
	require.Equal(t, Through, r.Outcome)
	require.Contains(t, r.Detail, "the host cannot be closed, something in it goes on")
}

// TestLeaks: each secret is seen in each form that a reply has it in, and what is like
// one is not taken for it.
func TestLeaks(t *testing.T) {
	w, err := newWorld(t.TempDir(), t.TempDir(), soon)
	require.NoError(t, err)
	le := binary.LittleEndian
	entry := func(size int64) string {
		return string(abi.AppendEntry(nil, &abi.Entry{Name: "x", Type: abi.TypeFile, Target: abi.TypeFile, Size: size}))
	}
	answer := func(header string, attachments ...string) []byte { return []byte(request(header, attachments...).one) }
	size := uint64(w.size)
	for _, c := range []struct {
		name string
		op   byte
		data []byte
		want string
	}{
		{"content", opRead, []byte("…" + w.secret + "…"), "the content of a file outside"},
		{"content in an answer", opInvoke, answer(`{}`, w.secret), "the content of a file outside"},
		{"name", opReadDir, []byte(w.hidden), "the list of a directory outside"},
		{"size in an answer", opInvoke, answer(fmt.Sprintf(`{"size":%d}`, size)), "the size of a file outside"},
		{"size first", opInvoke, answer(fmt.Sprintf(`{"size":%d,"mode":1}`, size)), "the size of a file outside"},
		{"size of a stat", opStat, append(le.AppendUint64(make([]byte, 32), size), make([]byte, 24)...), "the size of a file outside"},
		{"size in a list", opInvoke, answer(`{"count":2}`, entry(1)+entry(int64(size))), "the size of a file outside"},
		{"another size", opInvoke, answer(fmt.Sprintf(`{"size":%d0}`, size)), ""},
		{"an inode of that number", opStat, append(le.AppendUint64(make([]byte, 8), size), make([]byte, 48)...), ""},
		{"bytes of that number", opRead, le.AppendUint64(nil, size), ""},
		{"nothing", opInvoke, nil, ""},
		{"part of the secret", opRead, []byte(w.secret[:20]), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, w.leaks(&step{op: c.op}, reply{int64(len(c.data)), c.data}))
		})
	}
}

// TestDifferences: a guarded directory shows what was made, removed and changed in it:
// content, type, mode, time and what a link leads to.
func TestDifferences(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"same", "content", "mode", "time", "gone", "type", "sub/x"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file(name)), 0o755))
		require.NoError(t, os.WriteFile(file(name), []byte("x"), 0o644))
	}
	require.NoError(t, os.Symlink("same", file("link")))
	before := snapshot(dir)
	require.Empty(t, differences(before, snapshot(dir)))

	require.NoError(t, os.WriteFile(file("content"), []byte("y"), 0o644))
	require.NoError(t, os.Chmod(file("mode"), 0o600))
	require.NoError(t, os.Chtimes(file("time"), time.Unix(1, 0), time.Unix(1, 0)))
	require.NoError(t, os.Remove(file("gone")))
	require.NoError(t, os.Remove(file("type")))
	require.NoError(t, os.Mkdir(file("type"), 0o755))
	require.NoError(t, os.Remove(file("link")))
	require.NoError(t, os.Symlink("content", file("link")))
	require.NoError(t, os.WriteFile(file("new"), nil, 0o644))
	require.Equal(t, []string{"content was changed", "gone was removed", "link was changed", "mode was changed", "new was made", "time was changed", "type was changed"},
		differences(before, snapshot(dir)))

	before = snapshot(file("sub"))
	require.NoError(t, os.WriteFile(file("sub/passing"), nil, 0o644))
	require.NoError(t, os.Remove(file("sub/passing")))
	require.NoError(t, os.Chtimes(file("sub"), time.Unix(2, 0), time.Unix(2, 0)))
	require.Equal(t, []string{". was changed"}, differences(before, snapshot(file("sub"))))
}

package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
	"github.com/ohhost/ohhost/tool"
)

// shortTime is a deadline that a runaway guest meets; it bounds nothing that is
// asserted.
const shortTime = 200 * time.Millisecond

// hangLimit is how long a call that must end may take before the test fails.
const hangLimit = 30 * time.Second

// TestWord: a plugin in C, written from package abi's documentation alone, reads
// a granted file and is refused another.
func TestWord(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	path := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("one two\r\nthree  four\n"), 0o600))
	var log logBuffer
	h := newHost(t, func(o *host.Options) { o.Logger = logger(&log) })
	w := load(t, h, "word", "word_count", dir, false)
	require.Equal(t, "Counts the words of a text file. The working directory is "+dir+".", w.Spec().Description)

	var steps []string
	args, _ := json.Marshal(map[string]string{"path": path})
	res, err := w.Call(context.Background(), &tool.Call{Args: args, Progress: func(s string) { steps = append(steps, s) }})
	require.NoError(t, err)
	require.Equal(t, &abi.Result{
		Content: []abi.Part{{Text: "4 words"}},
		Fields:  []abi.Field{{Name: "words", Value: abi.JSON("4")}},
		Usage:   res.Usage,
	}, res)
	require.NotZero(t, res.Usage.Fuel)
	require.Equal(t, []string{"reading"}, steps)
	require.Contains(t, log.String(), `guest: says="counting"`)

	res, err = w.Call(context.Background(), &tool.Call{Args: []byte(`{"path":"` + dir + `/none"}`)})
	require.NoError(t, err)
	require.Equal(t, &abi.Result{Content: []abi.Part{{Text: "the file cannot be read"}}, IsError: true, Usage: res.Usage}, res)

	_, err = w.Call(context.Background(), &tool.Call{Args: []byte(`{"path":"/etc/passwd"}`)})
	var denied *tool.DeniedError
	require.ErrorAs(t, err, &denied)
	require.Equal(t, "/etc/passwd", denied.Path)
	require.Equal(t, []string{"ro " + dir}, denied.Have)
	require.Equal(t, "--grant ro:/etc/passwd", denied.Ask)

	_, err = w.Call(context.Background(), &tool.Call{Args: []byte(`{}`)})
	require.EqualError(t, err, "Error executing tool 'word_count': no path")

	keys, err := w.Keys(context.Background(), &tool.Call{Args: args})
	require.NoError(t, err)
	require.Empty(t, keys)
}

func hostile(t testing.TB, b tool.Tool, ctx context.Context, what string) (*abi.Result, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"do": what})
	require.NoError(t, err)
	return b.Call(ctx, &tool.Call{Args: args})
}

// stackOverflow is worded differently by wazero's two engines.
var stackOverflow = map[bool]string{
	false: "hostile: call: stack overflow",
	true:  "hostile: call: wasm error: stack overflow",
}[host.Interpreted]

// TestHostileFault: vectors A1, A3, A7, R9 of the threat list. Each of these is
// a fault of that call with a reason on one line; the next call works.
func TestHostileFault(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	b := load(t, h, "hostile", "hostile", workspace(t), true)
	for _, c := range []struct{ do, want string }{
		{"trap", "hostile: call: wasm error: unreachable"},
		{"deep", stackOverflow},
		{"exit", "hostile: call: module closed with exit_code(0)"},
		{"exit 3", "hostile: call: module closed with exit_code(3)"},
		{"one", "hostile: call: oh_call returned 1"},
		{"silence", "hostile: call: the guest's answer: frame is cut short"},
		{"garbage", "hostile: call: the guest's answer: frame header is over the limit"},
		{"short frame", "hostile: call: the guest's answer: frame is cut short"},
		{"broken json", "hostile: call: the guest's answer: broken JSON: unexpected end of JSON input"},
		{"two answers", "hostile: call: the guest's answer: want exactly one of result, denied, raised and keys"},
		{"no answer", "hostile: call: the guest's answer: want exactly one of result, denied, raised and keys"},
		{"taken field", `hostile: call: the guest's answer: fields: "is_error" is taken`},
		{"no attachment", "hostile: call: the guest's answer: content[0]: no attachment 7"},
		{"no blob", `hostile: call: the guest's answer: field "x": $blob: there is no -1`},
		{"image type", "hostile: call: the guest's answer: content[0]: no attachment 0"},
		{"output outside", "hostile: call: the guest passed a pointer outside its memory"},
		{"output huge", "hostile: call: the guest passed a pointer outside its memory"},
		{"input outside", "hostile: call: the guest passed a pointer outside its memory"},
		{"log outside", "hostile: call: the guest passed a pointer outside its memory"},
		{"progress outside", "hostile: call: the guest passed a pointer outside its memory"},
		{"invoke outside", "hostile: call: the guest passed a pointer outside its memory"},
	} {
		t.Run(c.do, func(t *testing.T) {
			res, err := hostile(t, b, context.Background(), c.do)
			require.Nil(t, res)
			require.EqualError(t, err, c.want)
			require.Equal(t, tool.KindFault, tool.Kind(err))
			res, err = hostile(t, b, context.Background(), "nothing")
			require.NoError(t, err)
			require.Equal(t, "nothing", res.Content[0].Text)
		})
	}
}

// TestHostileDetail: a fault's details are the guest's stack and its standard
// error.
func TestHostileDetail(t *testing.T) {
	t.Parallel()
	b := load(t, newHost(t, nil), "hostile", "hostile", workspace(t), true)
	_, err := hostile(t, b, context.Background(), "trap")
	var fault *tool.FaultError
	require.ErrorAs(t, err, &fault)
	require.Regexp(t, `^wasm stack trace:\n(\t.+\n)+about to trap$`, fault.Detail)
	require.NotContains(t, err.Error(), "\n")
}

// TestHostileHeld: what a guest tries and does not get.
func TestHostileHeld(t *testing.T) {
	t.Parallel()
	var log logBuffer
	h := newHost(t, func(o *host.Options) { o.Logger = logger(&log) })
	b := load(t, h, "hostile", "hostile", workspace(t), true)
	for _, c := range []struct{ do, want string }{
		{"environment", "bare"},
		{"random", "random"},
		{"invoke", "refused"},
		{"memory", "capped"},
		{"bad utf-8", "a\uFFFDb"},
		{"flood", "flooded"},
	} {
		t.Run(c.do, func(t *testing.T) {
			res, err := hostile(t, b, context.Background(), c.do)
			require.NoError(t, err)
			require.Equal(t, c.want, res.Content[0].Text)
		})
	}
	require.Equal(t, 1000, strings.Count(log.String(), "guest: says="))
	require.Equal(t, 1, strings.Count(log.String(), "further lines of this call are dropped"))
	require.NotContains(t, log.String(), "\x1b", "a guest's escape sequences are quoted")
}

// TestDeadline: vectors R1 and R11: a guest that never ends is a fault that is a
// deadline, and the host goes on. A call tree without loops is not in the list:
// wazero's own check does not see it, see RATIONALE.md.
func TestDeadline(t *testing.T) {
	t.Parallel()
	b := load(t, newHost(t, nil), "hostile", "hostile", workspace(t), true)
	for _, do := range []string{"spin", "sleep", "sleep and invoke"} {
		t.Run(do, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), shortTime)
			defer cancel()
			began := time.Now()
			_, err := hostile(t, b, ctx, do)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, tool.KindFault, tool.Kind(err))
			require.Less(t, time.Since(began), hangLimit)
			_, err = hostile(t, b, context.Background(), "nothing")
			require.NoError(t, err)
		})
	}
}

// TestClose: Close stops what still runs once its context has ended, and what
// was bound fails afterwards.
func TestClose(t *testing.T) {
	t.Parallel()
	h, err := host.New(&host.Options{NoCache: true, StateDir: filepath.Join(t.TempDir(), "state")})
	require.NoError(t, err)
	b := load(t, h, "hostile", "hostile", workspace(t), true)
	failed := make(chan error, 1)
	go func() {
		_, err := hostile(t, b, context.Background(), "sleep")
		failed <- err
	}()
	time.Sleep(shortTime)
	ctx, cancel := context.WithTimeout(context.Background(), shortTime)
	defer cancel()
	require.NoError(t, h.Close(ctx))
	require.ErrorIs(t, <-failed, host.ErrClosed)
	_, err = hostile(t, b, context.Background(), "nothing")
	require.ErrorIs(t, err, host.ErrClosed)
	_, err = h.Bind(context.Background(), "hostile", &tool.Grant{})
	require.ErrorIs(t, err, host.ErrClosed)
	require.NoError(t, h.Close(context.Background()))
}

// TestParallelCalls: calls of one bound tool at once, and none waits for another.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("one two"), 0o600))
	b := load(t, newHost(t, nil), "word", "word_count", dir, false)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			res, err := b.Call(context.Background(), &tool.Call{Args: []byte(`{"path":"` + dir + `/a"}`)})
			if err != nil || res.Content[0].Text != "2 words" {
				t.Errorf("got %v, %v", res, err)
			}
		})
	}
	wg.Wait()
}

// TestZeroGrant: the zero Grant grants nothing.
func TestZeroGrant(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	require.NoError(t, h.Load(context.Background(), "word", guest(t, "word"), nil))
	b, err := h.Bind(context.Background(), "word_count", &tool.Grant{})
	require.NoError(t, err)
	for _, path := range []string{"/", "/etc/passwd", "/tmp", "/none"} {
		_, err = b.Call(context.Background(), &tool.Call{Args: []byte(`{"path":"` + path + `"}`)})
		require.ErrorIs(t, err, tool.ErrDenied, path)
	}
}

// TestBindAndClose: binding while the host closes either works or fails; see the
// race detector.
func TestBindAndClose(t *testing.T) {
	t.Parallel()
	for range 20 {
		h, err := host.New(&host.Options{NoCache: true, StateDir: filepath.Join(t.TempDir(), "state")})
		require.NoError(t, err)
		require.NoError(t, h.Load(context.Background(), "word", guest(t, "word"), nil))
		dir := workspace(t)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := h.Bind(context.Background(), "word_count", &tool.Grant{Workspace: dir, Session: "s" + string(rune('0'+i))})
				if err != nil && !errors.Is(err, host.ErrClosed) {
					t.Error(err)
				}
			})
		}
		wg.Go(func() {
			if err := h.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}

// TestCloseWhileCompiling: a caller that does not wait for a compile leaves it
// running; Close waits for it.
func TestCloseWhileCompiling(t *testing.T) {
	t.Parallel()
	p := plugins.All()[0]
	for range 3 {
		h, err := host.New(&host.Options{NoCache: true, StateDir: filepath.Join(t.TempDir(), "state")})
		require.NoError(t, err)
		require.NoError(t, h.Load(context.Background(), p.Name, p.Wasm, p.Tools))
		dir := workspace(t)
		b, err := h.Bind(context.Background(), p.Tools[0].Name, &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir}}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err = b.Call(ctx, &tool.Call{Args: []byte(`{"command":"view","path":"` + dir + `"}`)})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, h.Close(context.Background()))
	}
}

// TestA6ForgedEnd: a guest that exits with the numbers by which wazero tells of the
// end of a context is at fault itself, and nobody takes it for a deadline or a cancel.
func TestA6ForgedEnd(t *testing.T) {
	b := load(t, newHost(t, nil), "trap", "trap", workspace(t), false)
	for _, do := range []string{"exit cancelled", "exit late"} {
		_, err := hostile(t, b, t.Context(), do)
		require.Equal(t, tool.KindFault, tool.Kind(err))
		require.NotErrorIs(t, err, context.Canceled, do)
		require.NotErrorIs(t, err, context.DeadlineExceeded, do)
	}
}

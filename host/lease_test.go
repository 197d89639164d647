package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// lateHost is a host with one native tool, "late", whose body is serve.
func lateHost(t *testing.T, serve func(NativeImports) *abi.Frame) (tool.Tool, string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	h, err := New(&Options{NoCache: true, StateDir: filepath.Join(top, "state")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close(context.Background())) })
	dir := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, h.LoadNative(context.Background(), "late", &Native{
		Describe: func() (*abi.Frame, error) {
			return &abi.Frame{Header: []byte(`{"abi":"ohhost_v1","tools":[{"name":"late","inputSchema":{}}]}`)}, nil
		},
		Serve: func(_ []byte, i NativeImports) (_ *abi.Frame, err error) {
			defer func() { // a module's call would trap
				if p := recover(); p != nil {
					err = p.(error)
				}
			}()
			return serve(i), nil
		},
	}))
	b, err := h.Bind(context.Background(), "late", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}})
	require.NoError(t, err)
	return b, dir
}

var done = &abi.Frame{Header: []byte(`{"result":{"content":[{"type":"text","text":"done"}]}}`)}

func put(t *testing.T, i NativeImports, path string) string {
	f := abi.Frame{Header: []byte(`{"service":"files","op":"apply","changes":[{"op":"put","path":0,"data":1}]}`), Attachments: [][]byte{[]byte(path), []byte("x")}}
	b, err := f.Append(nil)
	require.NoError(t, err)
	answer, code := i.Invoke(b)
	require.GreaterOrEqual(t, code, int64(0))
	a, err := abi.DecodeFrame(answer)
	require.NoError(t, err)
	return string(a.Header)
}

// TestLateAnswer: a call whose time is up after it has changed something may
// still answer; one that has not may change nothing any more.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{true, false} {
		ctx, cancel := context.WithCancelCause(context.Background())
		var path string
		b, dir := lateHost(t, func(i NativeImports) *abi.Frame {
			if before {
				require.Contains(t, put(t, i, path), `"created":true`)
			}
			cancel(errTimeUp)
			if !before {
				put(t, i, path) // panics
			}
			return done
		})
		path = filepath.Join(dir, "f")
		res, err := b.Call(ctx, &tool.Call{Args: []byte(`{}`)})
		if before {
			require.NoError(t, err)
			require.Equal(t, "done", res.Content[0].Text)
			require.FileExists(t, path)
			continue
		}
		require.ErrorIs(t, err, errTimeUp)
		require.NoFileExists(t, path)
	}
}

var errTimeUp = errors.New("time is up")

// TestLeaseEnds: the guest's context ends with the caller's, but not while a
// service runs, and with a delay once something was changed.
func TestLeaseEnds(t *testing.T) {
	t.Parallel()
	ends := func(ctx context.Context) bool {
		select {
		case <-ctx.Done():
			return true
		case <-time.After(50 * time.Millisecond):
			return false
		}
	}
	caller, cancel := context.WithCancelCause(context.Background())
	ctx, l := newLease(caller)
	defer l.release()
	require.NoError(t, l.begin())
	cancel(errTimeUp)
	require.False(t, ends(ctx))
	l.done(false)
	require.True(t, ends(ctx))
	require.ErrorIs(t, context.Cause(ctx), errTimeUp)
	require.ErrorIs(t, l.begin(), errTimeUp)

	caller, cancel = context.WithCancelCause(context.Background())
	ctx, l = newLease(caller)
	require.NoError(t, l.begin())
	l.done(true)
	cancel(errTimeUp)
	require.False(t, ends(ctx))
	l.release()
	require.True(t, ends(ctx))
}

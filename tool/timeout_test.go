package tool

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestTimeout(t *testing.T) {
	t.Parallel()
	denied := &DeniedError{Tool: "x", Path: "/etc", Why: "it is outside the grants"}
	tests := []struct {
		name string
		fail func(ctx context.Context) error
		want error
	}{
		{"the context's error", func(ctx context.Context) error { return ctx.Err() },
			&FaultError{Tool: "x", Op: "call"}},
		{"a fault keeps its detail", func(context.Context) error {
			return &FaultError{Tool: "x", Op: "compile", Err: errors.New("module closed"), Detail: "stack"}
		}, &FaultError{Tool: "x", Op: "compile", Detail: "stack"}},
		{"a refusal stays", func(context.Context) error { return denied }, denied},
		{"a result stays", func(context.Context) error { return nil }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := Timeout(time.Millisecond)(&fakeTool{spec: specOf("x", ""), call: func(ctx context.Context, _ *Call) (*abi.Result, error) {
				<-ctx.Done()
				return &abi.Result{}, tt.fail(ctx)
			}})
			_, err := x.Call(context.Background(), &Call{})
			fault, ok := tt.want.(*FaultError)
			if !ok {
				require.Equal(t, tt.want, err)
				return
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.EqualError(t, err, "x: "+fault.Op+": not done within 1ms: context deadline exceeded")
			var got *FaultError
			require.ErrorAs(t, err, &got)
			require.Equal(t, fault.Detail, got.Detail)
		})
	}
}

// TestTimeoutPassesLateResults: a tool that was done before it looked at its
// context has changed what its result says.
func TestTimeoutPassesLateResults(t *testing.T) {
	t.Parallel()
	for _, isError := range []bool{false, true} {
		late := &abi.Result{IsError: isError, Content: []abi.Part{{Text: "done"}}}
		var deadline error
		x := Timeout(time.Millisecond)(&fakeTool{spec: specOf("x", ""), call: func(ctx context.Context, _ *Call) (*abi.Result, error) {
			<-ctx.Done()
			deadline = ctx.Err()
			return late, nil
		}})
		res, err := x.Call(context.Background(), &Call{})
		require.NoError(t, err)
		require.Same(t, late, res)
		require.Equal(t, context.DeadlineExceeded, deadline)

		x = Timeout(time.Hour)(&fakeTool{spec: specOf("x", ""), call: func(context.Context, *Call) (*abi.Result, error) { return late, nil }})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		res, err = x.Call(ctx, &Call{})
		require.NoError(t, err)
		require.Same(t, late, res)
	}
}

func TestTimeoutOfTheCallerIsNotOurs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := Timeout(time.Hour)(&fakeTool{spec: specOf("x", ""), call: func(ctx context.Context, _ *Call) (*abi.Result, error) {
		return nil, ctx.Err()
	}})
	_, err := x.Call(ctx, &Call{})
	require.Equal(t, context.Canceled, err)

	plain := &fakeTool{spec: specOf("x", "")}
	require.Same(t, Tool(plain), Timeout(0)(plain), "no limit")
}

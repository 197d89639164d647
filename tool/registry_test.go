package tool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func names(specs []*abi.Spec) []string {
	var ns []string
	for _, s := range specs {
		ns = append(ns, s.Name)
	}
	return ns
}

func TestRegistryAdd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		specs []*abi.Spec
		want  string
	}{
		{"taken by another source", []*abi.Spec{specOf("new", ""), specOf("grep", "")}, `tool "grep": the name is taken by another tool`},
		{"twice in one source", []*abi.Spec{specOf("x", ""), specOf("x", "")}, `tool "x": the name is taken by another tool`},
		{"empty name", []*abi.Spec{specOf("", "")}, `tool name "": want 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"control character", []*abi.Spec{specOf("a\nb", "")}, `tool name "a\nb": want 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"newline at the end", []*abi.Spec{specOf("a\n", "")}, `tool name "a\n": want 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"65 characters", []*abi.Spec{specOf(strings.Repeat("a", 65), "")}, `tool name "` + strings.Repeat("a", 59) + `…: want 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"broken schema", []*abi.Spec{specOf("x", "{")}, `tool "x": input schema: line 1, column 2: unexpected end of the text, want a name in double quotes`},
		{"too many", []*abi.Spec{specOf("a", ""), specOf("b", ""), specOf("c", "")}, `4 tools: over the limit of 3`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := NewRegistry(&RegistryOptions{MaxTools: 3})
			require.NoError(t, r.Add(&fakeSource{specs: []*abi.Spec{specOf("grep", "")}}))
			require.EqualError(t, r.Add(&fakeSource{specs: tt.specs}), tt.want)
			require.Equal(t, []string{"grep"}, names(r.Specs()), "all or nothing")
		})
	}
}

func TestRegistryBind(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := NewRegistry(nil)
	_, err := r.Bind(ctx, "x", nil)
	require.EqualError(t, err, `unknown tool "x": there are no tools`)
	a := &fakeSource{specs: []*abi.Spec{specOf("grep", ""), specOf("a-Z_9", "")}}
	b := &fakeSource{specs: []*abi.Spec{specOf("edit", "")}}
	require.NoError(t, r.Add(a))
	require.NoError(t, r.Add(b))
	require.Equal(t, []string{"a-Z_9", "edit", "grep"}, names(r.Specs()))

	got, err := r.Bind(ctx, "edit", &Grant{})
	require.NoError(t, err)
	require.Equal(t, "edit", got.Spec().Name)

	_, err = r.Bind(ctx, "Grep", &Grant{})
	require.ErrorIs(t, err, ErrUnknownTool)
	require.Equal(t, KindUnknownTool, Kind(err))
	require.EqualError(t, err, `unknown tool "Grep"; the tools are a-Z_9, edit, grep`)

	a.err = errors.New("no")
	_, err = r.Bind(ctx, "grep", &Grant{})
	require.Equal(t, a.err, err)
	require.EqualError(t, r.Close(ctx), "no")
	require.NoError(t, r.Close(ctx))
	require.Equal(t, []int{1, 1}, []int{a.closed, b.closed})
	_, err = r.Bind(ctx, "edit", &Grant{})
	require.ErrorIs(t, err, ErrClosed)
	require.Equal(t, KindFault, Kind(err))
	require.ErrorIs(t, r.Add(b), ErrClosed)
}

// TestMiddlewareOrder pins the order: the first that was added sees the call
// first and the result last.
func TestMiddlewareOrder(t *testing.T) {
	t.Parallel()
	var seen []string
	note := func(name string) Middleware {
		return func(next Tool) Tool {
			return &fakeTool{spec: next.Spec(), call: func(ctx context.Context, c *Call) (*abi.Result, error) {
				seen = append(seen, name+" in")
				res, err := next.Call(ctx, c)
				seen = append(seen, name+" out")
				return res, err
			}}
		}
	}
	r := NewRegistry(nil)
	require.NoError(t, r.Add(&fakeSource{specs: []*abi.Spec{specOf("x", "")}}))
	r.Use(note("log"), note("mask"))
	r.Use(note("timeout"))
	x, err := r.Bind(context.Background(), "x", nil)
	require.NoError(t, err)
	_, err = x.Call(context.Background(), &Call{})
	require.NoError(t, err)
	require.Equal(t, []string{"log in", "mask in", "timeout in", "timeout out", "mask out", "log out"}, seen)
}

type closer struct {
	fakeTool
	closed int
}

func (c *closer) Close() error {
	c.closed++
	return errors.New("closed")
}

func TestRelease(t *testing.T) {
	t.Parallel()
	inner := &closer{fakeTool: fakeTool{spec: specOf("x", "")}}
	require.EqualError(t, Release(Validate(Timeout(time.Second)(inner))), "closed")
	require.Equal(t, 1, inner.closed)
	require.NoError(t, Release(Validate(&fakeTool{spec: specOf("x", "")})))
}

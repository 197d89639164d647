package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// fake is a source whose tools end in all the ways there are.
type fake struct {
	closed int
	calls  map[string]func(context.Context, *tool.Call) (*abi.Result, error)
	keys   func(args string) ([]string, error)

	description string // of the tools in calls
}

func text(s string) *abi.Result { return &abi.Result{Content: []abi.Part{{Text: s}}} }

func newFake() *fake {
	f := &fake{keys: func(string) ([]string, error) { return nil, nil }}
	f.calls = map[string]func(context.Context, *tool.Call) (*abi.Result, error){
		"echo": func(_ context.Context, c *tool.Call) (*abi.Result, error) {
			res := text(string(c.Args))
			res.Fields = []abi.Field{{Name: "id", Text: []byte(c.ID)}}
			return res, nil
		},
		"fail": func(context.Context, *tool.Call) (*abi.Result, error) {
			return &abi.Result{IsError: true, Content: []abi.Part{{Text: "no such line\n"}}}, nil
		},
		"deny": func(context.Context, *tool.Call) (*abi.Result, error) {
			return nil, &tool.DeniedError{Tool: "deny", Path: "/etc/x\x1b[2J", Why: "it is outside the grants", Have: []string{"rw /w"}, Ask: "--grant ro:/etc/x"}
		},
		"trap": func(context.Context, *tool.Call) (*abi.Result, error) {
			return nil, &tool.FaultError{Tool: "trap", Op: "call", Err: errors.New("unreachable\nsecond line"), Detail: "guest says\x07\nbye\n"}
		},
		"raise": func(context.Context, *tool.Call) (*abi.Result, error) {
			return nil, &tool.RaisedError{Tool: "raise", Message: "boom"}
		},
		"odd": func(context.Context, *tool.Call) (*abi.Result, error) {
			return &abi.Result{Fields: []abi.Field{{Name: "content"}}}, nil
		},
		"wait": func(ctx context.Context, _ *tool.Call) (*abi.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"edit": func(_ context.Context, c *tool.Call) (*abi.Result, error) {
			if c.Changed != nil {
				c.Changed(tool.Change{Path: "/w/a.txt", Before: []byte("one\ntwo\n"), After: []byte("one\n2\x1b\n")})
			}
			return text("edited\x1b[31m"), nil
		},
	}
	return f
}

func (f *fake) Specs() []*abi.Spec {
	var specs []*abi.Spec
	for name := range f.calls {
		specs = append(specs, &abi.Spec{Name: name, Description: f.description, InputSchema: abi.JSON(`{"type":"object"}`)})
	}
	specs = append(specs, &abi.Spec{
		Name: "strict", Title: "Strict", Description: "Takes <one> thing.\x1b[2J\nIn {{cwd}}.",
		InputSchema: abi.JSON(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
		Closed:      abi.JSON(`{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"],"additionalProperties":false}`),
		Annotations: abi.Annotations{ReadOnly: true}, Needs: abi.Needs{Files: abi.FilesWrite, State: true},
	})
	return specs
}

func (f *fake) Bind(_ context.Context, name string, _ *tool.Grant) (tool.Tool, error) {
	for _, s := range f.Specs() {
		if s.Name == name {
			return &fakeTool{f, s}, nil
		}
	}
	return nil, errors.New("not reached: the registry knows the names")
}

func (f *fake) Close(context.Context) error { f.closed++; return nil }

type fakeTool struct {
	*fake
	spec *abi.Spec
}

func (t *fakeTool) Spec() *abi.Spec { return t.spec }

func (t *fakeTool) Keys(_ context.Context, c *tool.Call) ([]string, error) {
	return t.keys(string(c.Args))
}

func (t *fakeTool) Call(ctx context.Context, c *tool.Call) (*abi.Result, error) {
	if call := t.calls[t.spec.Name]; call != nil {
		return call(ctx, c)
	}
	return text("ok"), nil
}

// cli runs a command line against the fake.
type cli struct {
	fake     *fake
	app      *app
	out, err bytes.Buffer
}

func newCLI(stdin string) *cli {
	c := &cli{fake: newFake()}
	c.app = &app{in: strings.NewReader(stdin), out: &c.out, err: &c.err, open: func(context.Context, *openOptions) (*tool.Registry, error) {
		reg := tool.NewRegistry(nil)
		return reg, reg.Add(c.fake)
	}}
	return c
}

func TestCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tests := []struct {
		name  string
		args  []string
		stdin string
		code  int
		out   string
		err   string
	}{
		{"text", []string{"call", "echo", `{"b":"x","a":[1]}`}, "", 0, "{\"a\":[1],\"b\":\"x\"}\n", ""},
		{"no arguments", []string{"call", "echo"}, "", 0, "{}\n", ""},
		{"stdin", []string{"call", "echo", "-"}, " {\"a\" : 1}\n", 0, "{\"a\":1}\n", ""},
		{"stdin, byte order mark", []string{"call", "echo", "-"}, "\ufeff{\"a\" : 1}\n", 0, "{\"a\":1}\n", ""},
		{"json", []string{"call", "echo", "--json"}, "", 0, `{"observation":{"content":[{"type":"text","text":"{}"}],"is_error":false,"id":""}}` + "\n", ""},
		{"tool error", []string{"call", "fail"}, "", 1, "no such line\n", ""},
		{"tool error, json", []string{"call", "fail", "--json"}, "", 1, `{"observation":{"content":[{"type":"text","text":"no such line\n"}],"is_error":true}}` + "\n", ""},
		{"raised", []string{"call", "raise"}, "", 1, "", "error: Error executing tool 'raise': boom\n"},
		{"raised, json", []string{"call", "raise", "--json"}, "", 1, `{"error":{"kind":"error","message":"Error executing tool 'raise': boom"}}` + "\n", ""},
		{"unknown tool", []string{"call", "nope"}, "", 2, "", "error: unknown tool \"nope\"; the tools are deny, echo, edit, fail, odd, raise, strict, trap, wait\n"},
		{"unknown tool, json", []string{"call", "nope", "--json"}, "", 2,
			`{"error":{"kind":"unknown_tool","message":"unknown tool \"nope\"; the tools are deny, echo, edit, fail, odd, raise, strict, trap, wait"}}` + "\n", ""},
		{"broken JSON", []string{"call", "echo", "{\n \"a\": tru}"}, "", 2, "",
			"error: invalid arguments for echo: arguments: want a JSON object, but line 2, column 7: unexpected character 't', want a JSON value\n" +
				"hint: `ohhost tools echo` shows its arguments\n"},
		{"wrong field", []string{"call", "strict", `{"n":-1,"<m>":2}`}, "", 2, "",
			"error: invalid arguments for strict: n: an integer >= 0, got -1; <m>: no such field\nhint: `ohhost tools strict` shows its arguments\n"},
		{"wrong field, json", []string{"call", "strict", "--json", `{"n":-1,"<m>":2}`}, "", 2,
			`{"error":{"kind":"invalid_args","message":"invalid arguments for strict: n: an integer >= 0, got -1; <m>: no such field"}}` + "\n", ""},
		{"no arguments but a pipe", []string{"call", "strict"}, `{"n":1}`, 2, "",
			"error: invalid arguments for strict: n: required\nhint: use - to read the arguments from standard input\n"},
		{"no arguments but a pipe, json", []string{"call", "strict", "--json"}, `{"n":1}`, 2,
			`{"error":{"kind":"invalid_args","message":"invalid arguments for strict: n: required"}}` + "\n", ""},
		{"denied", []string{"call", "deny"}, "", 3, "", "error: /etc/x␛[2J: denied: it is outside the grants; granted: rw /w\nhint: allow it with --grant ro:/etc/x\n"},
		{"denied, json", []string{"call", "deny", "--json"}, "", 3,
			`{"error":{"kind":"denied","message":"/etc/x\u001b[2J: denied: it is outside the grants; granted: rw /w; allow it with --grant ro:/etc/x"}}` + "\n", ""},
		{"fault", []string{"call", "trap"}, "", 4, "", "error: trap: call: unreachable\n"},
		{"fault, json", []string{"call", "trap", "--json"}, "", 4, `{"error":{"kind":"fault","message":"trap: call: unreachable"}}` + "\n", ""},
		{"timeout", []string{"call", "wait", "--timeout", "5ms"}, "", 4, "", "error: wait: call: not done within 5ms: context deadline exceeded\n"},
		{"a result that cannot be shown", []string{"call", "odd", "--json"}, "", 0, `{"error":{"kind":"fault","message":"field \"content\": the name is taken"}}` + "\n", ""},
		{"changes are not shown to a pipe", []string{"call", "edit"}, "", 0, "edited\x1b[31m\n", ""},
		{"dry run", []string{"call", "edit", "--dry-run", "-C", dir}, "", 0, "--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\x1b\n", ""},
		{"dry run, json", []string{"call", "edit", "--dry-run", "--json"}, "", 0,
			`{"observation":{"content":[{"type":"text","text":"edited\u001b[31m"}],"is_error":false},"diff":"--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\u001b\n"}` + "\n", ""},
		{"dry run without changes", []string{"call", "echo", "--dry-run"}, "", 0, "{}\n", ""},
		{"dry run, tool error", []string{"call", "fail", "--dry-run"}, "", 1, "no such line\n", ""},
		{"no tool", []string{"call"}, "", 2, "", "error: which tool? (`ohhost tools` lists them)\nhint: see ohhost call --help\n"},
		{"too many", []string{"call", "echo", "{", "}"}, "", 2, "", "error: 3 arguments: want a tool and one JSON object in quotes\nhint: see ohhost call --help\n"},
		{"unknown flag", []string{"call", "echo", "--nope"}, "", 2, "", "error: unknown flag: --nope\nhint: see ohhost call --help\n"},
		{"unknown command", []string{"cal"}, "", 2, "", "error: unknown command \"cal\" for ohhost\nhint: see ohhost --help\n"},
		{"negative timeout", []string{"call", "echo", "--timeout=-1s"}, "", 2, "", "error: --timeout -1s: want a positive duration\nhint: see ohhost call --help\n"},
		{"missing file", []string{"call", "echo", "@" + dir + "/none"}, "", 2, "", "error: open " + dir + "/none: no such file or directory\nhint: @FILE reads the arguments from a file\n"},
		{"batch with a tool", []string{"call", "--batch", "echo"}, "", 2, "", "error: --batch takes calls from standard input, not from the command line\nhint: see ohhost call --help\n"},
		{"bad session", []string{"call", "echo", "--session", "a/b"}, "", 2, "", "error: session name \"a/b\": want 1 to 64 of the characters A-Z a-z 0-9 . _ -\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCLI(tt.stdin)
			code := c.app.run(context.Background(), tt.args)
			require.Equal(t, tt.out, c.out.String())
			require.Equal(t, tt.err, c.err.String())
			require.Equal(t, tt.code, code)
		})
	}
}

// TestMiddlewareOrder pins it: Log → Validate → Timeout → the tool.
func TestMiddlewareOrder(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	reg, err := c.app.openTools(context.Background(), &loadFlags{}, time.Second)
	require.NoError(t, err)
	var order []string
	x, err := reg.Bind(context.Background(), "echo", &tool.Grant{})
	require.NoError(t, err)
	for {
		order = append(order, fmt.Sprintf("%T", x))
		w, ok := x.(tool.Wrapper)
		if !ok {
			break
		}
		x = w.Unwrap()
	}
	require.Equal(t, []string{"*main.logged", "*tool.validated", "*tool.timed", "*main.fakeTool"}, order)
}

func TestFaultDetail(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	require.Equal(t, exitFault, c.app.run(context.Background(), []string{"call", "trap", "-v"}))
	require.Contains(t, c.err.String(), "guest says␇\nbye\nerror: trap: call: unreachable\n")
	require.Contains(t, c.err.String(), "[DEBUG] ohhost: call failed: tool=trap")
	require.Equal(t, 1, c.fake.closed)
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	c.app.outTerm = term{is: true, color: true}
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "edit", "-C", t.TempDir()}))
	require.Equal(t, "edited␛[31m\n\n\x1b[1m--- a/w/a.txt\x1b[m\n\x1b[1m+++ b/w/a.txt\x1b[m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[m\n one\n\x1b[31m-two\x1b[m\n\x1b[32m+2␛\x1b[m\n", c.out.String())

	c = newCLI("")
	c.app.outTerm = term{is: true}
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "edit", "-C", t.TempDir()}))
	require.Equal(t, "edited␛[31m\n\n--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2␛\n", c.out.String(), "NO_COLOR")

	c = newCLI("")
	c.app.outTerm = term{is: true, color: true}
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "edit", "--json"}))
	require.JSONEq(t, `{"observation":{"content":[{"type":"text","text":"edited\u001b[31m"}],"is_error":false}}`, c.out.String(), "JSON stays JSON")
}

func TestClean(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a\tb\nc é😀", clean("a\tb\nc é😀"))
	require.Equal(t, "␀␛]52;c␇␍\n␡��\u2028", clean("\x00\x1b]52;c\a\r\n\x7f\u009b\u202e\u2028"))
	require.Equal(t, "a␊b\tc�", cleanLine("a\nb\tc\xff"))
}

func TestTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newCLI("")
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools"}))
	require.Contains(t, c.out.String(), "strict  changes files, keeps state  Takes <one> thing.␛[2J\n")
	require.Contains(t, c.out.String(), "echo    needs nothing")

	c = newCLI("")
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools", "--json", "-C", dir}))
	var got []map[string]any
	require.NoError(t, json.Unmarshal(c.out.Bytes(), &got))
	require.Len(t, got, 9)
	require.Equal(t, map[string]any{
		"name": "strict", "title": "Strict", "description": "Takes <one> thing.\x1b[2J\nIn " + dir + ".",
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []any{"n"}},
		"annotations": map[string]any{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
	}, got[6])
	require.Equal(t, "echo", got[1]["title"], "the name where there is no title")
}

func TestOneTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newCLI("")
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools", "strict", "-C", dir}))
	require.Equal(t, "strict (changes files, keeps state)\n\nTakes <one> thing.␛[2J\nIn "+dir+".\n\nArguments:\n  n: an integer (required)\n", c.out.String())

	c = newCLI("")
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools", "echo"}))
	require.Equal(t, "echo (needs nothing)\n\nIt takes no arguments by name.\n", c.out.String())

	c = newCLI("")
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools", "--json", "strict"}))
	var got []map[string]any
	require.NoError(t, json.Unmarshal(c.out.Bytes(), &got))
	require.Len(t, got, 1)
	require.Equal(t, "strict", got[0]["name"])

	for _, args := range [][]string{{"tools", "nope"}, {"tools", "nope", "--json"}} {
		c = newCLI("")
		require.Equal(t, exitUsage, c.app.run(context.Background(), args))
		require.Equal(t, "error: unknown tool \"nope\"; the tools are deny, echo, edit, fail, odd, raise, strict, trap, wait\n", c.err.String())
		require.Empty(t, c.out.String())
	}

	// At a terminal nobody forgot the -.
	c = newCLI("")
	c.app.inTerm = term{is: true}
	require.Equal(t, exitUsage, c.app.run(context.Background(), []string{"call", "strict"}))
	require.Equal(t, "error: invalid arguments for strict: n: required\nhint: `ohhost tools strict` shows its arguments\n", c.err.String())
}

func TestFirstSentence(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "No stop": "No stop", "One. Two.": "One.", "One,\n two! `three`": "One, two!", "One, e.g. [1, 2]. Two.": "One, e.g. [1, 2].",
		"One\n\nTwo.": "One", "v1.2 it is.": "v1.2 it is.", "é. É": "é.", "One.": "One.", "One. ": "One.",
	} {
		require.Equal(t, want, firstSentence(in))
	}
}

// TestJSONIsHarmless: whatever a model, a file or a plugin says, JSON holds nothing
// that a terminal obeys, and means the same.
func TestJSONIsHarmless(t *testing.T) {
	t.Parallel()
	const evil = "\u009b2J\x7f\u202e\u2066\u200f"
	const escaped = `\u009b2J\u007f\u202e\u2066\u200f`
	for _, tt := range []struct {
		args  []string
		stdin string
		out   string
	}{
		{[]string{"call", "evil", "--json"}, "", `{"observation":{"content":[{"type":"text","text":"` + escaped + `"}],"is_error":false,"v":["` + escaped + `"]}}` + "\n"},
		{[]string{"call", "evil", "--json", "--dry-run"}, "", `{"observation":{"content":[{"type":"text","text":"` + escaped + `"}],"is_error":false,"v":["` + escaped + `"]},"diff":"--- /dev/null\n+++ b/w/a\n@@ -0,0 +1 @@\n+` + escaped + `\n"}` + "\n"},
		{[]string{"call", "evil", "--json", `{"fail":true}`}, "", `{"error":{"kind":"denied","message":"` + escaped + `: denied: "}}` + "\n"},
		{[]string{"call", "--batch"}, `{"id":"` + evil + `","tool":"` + evil + `"}`, `{"id":"` + escaped + `","error":{"kind":"unknown_tool","message":"unknown tool \"` + strings.ReplaceAll(escaped, `\`, `\\`) + `\"; the tools are deny, echo, edit, evil, fail, odd, raise, strict, trap, wait"}}` + "\n"},
	} {
		c := newCLI(tt.stdin)
		c.fake.calls["evil"] = func(_ context.Context, call *tool.Call) (*abi.Result, error) {
			if string(call.Args) != "{}" {
				return nil, &tool.DeniedError{Path: evil}
			}
			if call.Changed != nil {
				call.Changed(tool.Change{Path: "/w/a", After: []byte(evil + "\n")})
			}
			res := text(evil)
			res.Fields = []abi.Field{{Name: "v", Value: abi.JSON(`["` + evil + `"]`)}}
			return res, nil
		}
		c.app.run(context.Background(), tt.args)
		require.Equal(t, tt.out, c.out.String())
	}

	c := newCLI("")
	c.fake.description = evil
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"tools", "--json"}))
	require.NotContains(t, c.out.String(), "\u009b")
	require.Contains(t, c.out.String(), escaped)
}

// TestLoadTimeout: --timeout is for loading too, and for no longer than that.
func TestLoadTimeout(t *testing.T) {
	t.Parallel()
	c := newCLI("")
	open := c.app.open
	c.app.open = func(ctx context.Context, _ *openOptions) (*tool.Registry, error) {
		<-ctx.Done()
		return nil, &tool.FaultError{Tool: "x", Op: "describe", Err: ctx.Err(), Detail: "guest says\n"}
	}
	require.Equal(t, exitFault, c.app.run(context.Background(), []string{"call", "echo", "-v", "--timeout", "5ms"}))
	require.Equal(t, "guest says\nerror: x: describe: context deadline exceeded: not done within 5ms\n", c.err.String())

	c = newCLI("")
	c.app.open = func(ctx context.Context, o *openOptions) (*tool.Registry, error) {
		_, limited := ctx.Deadline()
		require.False(t, limited)
		return open(ctx, o)
	}
	require.Equal(t, exitOK, c.app.run(context.Background(), []string{"call", "echo", "--timeout", "0"}))
}

type brokenPipe struct{ err error }

func (b brokenPipe) Write([]byte) (int, error) { return 0, b.err }

func TestStdoutIsGone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"call", "echo"}, {"call", "fail", "--json"}, {"call", "--batch"}, {"tools", "--json"}} {
		c := newCLI(`{"tool":"echo"}` + "\n")
		c.app.out = brokenPipe{fmt.Errorf("write: %w", syscall.EPIPE)}
		require.Equal(t, exitOK, c.app.run(context.Background(), args), args)
		require.Empty(t, c.err.String())

		c = newCLI(`{"tool":"echo"}` + "\n")
		c.app.out = brokenPipe{errors.New("disk full")}
		require.Equal(t, exitFault, c.app.run(context.Background(), args), args)
		require.Equal(t, "error: disk full\n", c.err.String())
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"call", "wait"}, {"call", "wait", "--json"}, {"call", "--batch"}} {
		for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(10*time.Millisecond, func() { cancel(&interruptedError{sig}) })
			c := newCLI("")
			r, w := io.Pipe()
			t.Cleanup(func() { w.Close() })
			c.app.in = r // nothing comes
			require.Equal(t, code, c.app.run(ctx, args))
			require.Equal(t, "error: stopped: "+sig.String()+"\n", c.err.String())
			require.Equal(t, 1, c.fake.closed)
		}
	}
}

// TestInterruptTooLate: a call that ends with a result although a signal came is
// answered with it, be it one of a batch; a batch that was cut says so.
func TestInterruptTooLate(t *testing.T) {
	t.Parallel()
	late := func(res *abi.Result) func(context.Context, *tool.Call) (*abi.Result, error) {
		return func(ctx context.Context, _ *tool.Call) (*abi.Result, error) {
			<-ctx.Done()
			return res, nil
		}
	}
	denied := func(ctx context.Context, _ *tool.Call) (*abi.Result, error) {
		<-ctx.Done()
		return nil, &tool.DeniedError{Path: "/x", Why: "no"}
	}
	tests := []struct {
		tool     string
		args     []string
		code     int
		out, err string
	}{
		{"late", []string{"call", "late"}, exitOK, "done\n", ""},
		{"late", []string{"call", "late", "--json"}, exitOK, `{"observation":{"content":[{"type":"text","text":"done"}],"is_error":false}}` + "\n", ""},
		{"later", []string{"call", "later"}, exitTool, "no such line\n", ""},
		{"later", []string{"call", "later", "--json"}, exitTool, `{"observation":{"content":[{"type":"text","text":"no such line"}],"is_error":true}}` + "\n", ""},
		{"denied", []string{"call", "denied"}, exitDenied, "", "error: /x: denied: no\n"},
		{"late", []string{"call", "--batch"}, exitOK, `{"id":1,"observation":{"content":[{"type":"text","text":"done"}],"is_error":false}}` + "\n", ""},
		{"wait", []string{"call", "--batch"}, 143, `{"id":1,"error":{"kind":"fault","message":"context canceled"}}` + "\n", "error: stopped: terminated\n"},
	}
	for _, tt := range tests {
		t.Run(strings.Join(append(tt.args, tt.tool), " "), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(context.Background())
			c := newCLI(`{"id":1,"tool":"` + tt.tool + `"}`)
			c.fake.calls["late"] = late(text("done"))
			c.fake.calls["later"] = late(&abi.Result{IsError: true, Content: []abi.Part{{Text: "no such line"}}})
			c.fake.calls["denied"] = denied
			// By then the call runs, and a batch has seen the end of its input.
			time.AfterFunc(300*time.Millisecond, func() { cancel(&interruptedError{syscall.SIGTERM}) })
			require.Equal(t, tt.code, c.app.run(ctx, tt.args))
			require.Equal(t, tt.out, c.out.String())
			require.Equal(t, tt.err, c.err.String())
		})
	}
}

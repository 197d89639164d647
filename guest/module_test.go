package guest

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

// A fakeHost answers service requests by a function and keeps what it is told.
type fakeHost struct {
	invoke func(req *abi.Frame) (*abi.Frame, int64)
	header map[string]any // of the last request
	logs   []string
}

func (h *fakeHost) Invoke(frame []byte) ([]byte, int64) {
	req, err := abi.DecodeFrame(frame)
	if err != nil {
		return nil, abi.RefusedMalformed
	}
	h.header = nil
	if json.Unmarshal(req.Header, &h.header) != nil {
		return nil, abi.RefusedMalformed
	}
	res, code := h.invoke(req)
	if code < 0 {
		return nil, code
	}
	b, err := res.Append(nil)
	if err != nil {
		panic(err)
	}
	return b, int64(len(b))
}

func (h *fakeHost) Log(level int, msg string) { h.logs = append(h.logs, msg) }
func (h *fakeHost) Progress(text string)      { h.logs = append(h.logs, "progress "+text) }

func input(t *testing.T, header string, attachments ...[]byte) []byte {
	t.Helper()
	f := abi.Frame{Header: []byte(header), Attachments: attachments}
	b, err := f.Append(nil)
	require.NoError(t, err)
	return b
}

// echo is a tool that does what its argument says.
func echo(c *Call) (*abi.Result, error) {
	do, _ := c.Args.Str("do")
	switch do {
	case "denied":
		return nil, &DeniedError{Path: "/x", Why: "outside"}
	case "raised":
		return nil, &RaisedError{"broken"}
	case "error":
		return nil, errors.New("plain")
	case "tool-error":
		return nil, &ToolError{"read this"}
	case "nothing":
		return nil, nil
	case "panic":
		panic("boom")
	case "bad-field":
		return &abi.Result{Fields: []abi.Field{NullField("content")}}, nil
	}
	c.Log(abi.LogInfo, "called "+c.ID)
	c.Progress("half")
	return &abi.Result{
		Content: []abi.Part{{Text: "cwd " + c.CWD}, {Text: strings.Repeat("long", 100)}, {Image: []byte{1, 2}, MIME: "image/png"}},
		Fields: []abi.Field{
			StringField("short", "a\"b"), StringField("long", strings.Repeat("x", 300)), BoolField("yes", true), IntField("n", -5),
			NullField("none"), BlobField("blob", 7), BlobField("no_blob", NoBlob), {Name: "empty"},
		},
	}, nil
}

func testModule(t *testing.T) *Module {
	t.Helper()
	m, err := NewModule(
		Tool{Spec: abi.Spec{Name: "echo"}, Call: echo, Keys: func(c *Call) ([]string, error) {
			if do, _ := c.Args.Str("do"); do == "denied" {
				return nil, &DeniedError{Path: "/x", Why: "outside"}
			}
			return []string{"file:/a", "\xff"}, nil
		}},
		Tool{Spec: abi.Spec{Name: "keyless"}, Call: echo},
	)
	require.NoError(t, err)
	return m
}

func TestServe(t *testing.T) {
	t.Parallel()
	const callOf = `{"op":"call","tool":"echo","args":{"do":"`
	long, longer := []byte(strings.Repeat("long", 100)), []byte(strings.Repeat("x", 300))
	for _, tt := range []struct {
		name, header string
		want         string
		attachments  [][]byte
		err          string
	}{
		{name: "result", header: `{"op":"call","tool":"echo","id":"7","args":{},"cwd":"?","more":1}`,
			want: `{"result":{"content":[{"type":"text","text":"cwd /w\ufffd"},{"type":"text","attachment":0},{"type":"image","mime":"image/png","attachment":1}],` +
				`"fields":{"short":"a\"b","long":{"$attachment":2},"yes":true,"n":-5,"none":null,"blob":{"$blob":7},"no_blob":null,"empty":""},"is_error":false}}`,
			attachments: [][]byte{long, {1, 2}, longer}},
		{name: "denied", header: callOf + `denied"}}`, want: `{"denied":{"path":"/x","why":"outside"}}`},
		{name: "raised", header: callOf + `raised"}}`, want: `{"raised":{"message":"broken"}}`},
		{name: "another error", header: callOf + `error"}}`, want: `{"raised":{"message":"plain"}}`},
		{name: "tool error", header: callOf + `tool-error"}}`,
			want: `{"result":{"content":[{"type":"text","text":"read this"}],"fields":{},"is_error":true}}`},
		{name: "keys", header: `{"op":"keys","tool":"echo","args":{}}`, want: `{"keys":["file:/a","\ufffd"]}`},
		{name: "keys denied", header: `{"op":"keys","tool":"echo","args":{"do":"denied"}}`, want: `{"denied":{"path":"/x","why":"outside"}}`},
		{name: "no keys", header: `{"op":"keys","tool":"keyless","args":{}}`, want: `{"keys":[]}`},
		{name: "nothing returned", header: callOf + `nothing"}}`, err: "neither a result nor an error"},
		{name: "reserved field", header: callOf + `bad-field"}}`, err: "may not be called content"},
		{name: "unknown tool", header: `{"op":"call","tool":"other"}`, err: "no tool is called other"},
		{name: "unknown op", header: `{"op":"dance","tool":"echo"}`, err: "operation dance"},
		{name: "no object", header: `[]`, err: "not an object"},
		{name: "no JSON", header: `{`, err: "broken JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := testModule(t).Serve(input(t, tt.header, []byte("/w\xff")), &fakeHost{})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(got.Header))
			require.Equal(t, tt.attachments, got.Attachments)
		})
	}
	_, err := testModule(t).Serve([]byte("short"), &fakeHost{})
	require.ErrorIs(t, err, abi.ErrFrameShort)
	require.PanicsWithValue(t, "boom", func() {
		_, _ = testModule(t).Serve(input(t, callOf+`panic"}}`), &fakeHost{})
	})
}

func TestServeInParallel(t *testing.T) {
	t.Parallel()
	m := testModule(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			h := &fakeHost{}
			in, err := (&abi.Frame{Header: []byte(`{"op":"call","tool":"echo","id":"1","args":{}}`)}).Append(nil)
			if err == nil {
				_, err = m.Serve(in, h)
			}
			if err != nil || len(h.logs) != 2 || h.logs[0] != "called 1" || h.logs[1] != "progress half" {
				t.Errorf("logs %q, error %v", h.logs, err)
			}
		})
	}
	wg.Wait()
}

func TestNewModule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tools []Tool
		want  string
	}{
		{"none", nil, "no tools"},
		{"no name", []Tool{{Call: echo}}, "has no name"},
		{"no call", []Tool{{Spec: abi.Spec{Name: "a"}}}, "tool a has no Call"},
		{"twice", []Tool{{Spec: abi.Spec{Name: "a"}, Call: echo}, {Spec: abi.Spec{Name: "a"}, Call: echo}}, "tool a is registered twice"},
	} {
		_, err := NewModule(tt.tools...)
		require.ErrorContains(t, err, tt.want, tt.name)
	}
}

// TestRegister is the only test that may touch the plugin's own Module.
func TestRegister(t *testing.T) {
	require.Nil(t, Registered())
	Register(Tool{Spec: abi.Spec{Name: "a"}, Call: echo})
	Register(Tool{Spec: abi.Spec{Name: "b"}, Call: echo})
	require.Equal(t, "a", Registered().tool("a").Spec.Name)
	require.Equal(t, "b", Registered().tool("b").Spec.Name)
	require.PanicsWithValue(t, "guest: tool a is registered twice", func() {
		Register(Tool{Spec: abi.Spec{Name: "a"}, Call: echo})
	})
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	full := abi.Spec{
		Name: "full", Title: "Full", Description: "in {{cwd}} \"q\"",
		InputSchema: abi.JSON(`{"type":"object","properties":{}}`), Closed: abi.JSON(`{"additionalProperties":false}`), OutputSchema: abi.JSON(`{}`),
		Annotations: abi.Annotations{Title: "T", ReadOnly: true, Idempotent: true},
		Needs:       abi.Needs{Files: abi.FilesRead, State: true, Services: []string{"clock", "random"}},
	}
	bare := abi.Spec{Name: "bare", Description: "d"}
	raw := full
	raw.Name = "raw"
	rawJSON, err := json.Marshal(raw)
	require.NoError(t, err)
	m, err := NewModule(
		Tool{Spec: full, Call: echo}, Tool{Spec: bare, Call: echo},
		Tool{Spec: abi.Spec{Name: "raw"}, SpecJSON: " " + string(rawJSON) + "\n", Call: echo},
	)
	require.NoError(t, err)
	f, err := m.Describe()
	require.NoError(t, err)
	require.Empty(t, f.Attachments)
	var got abi.Description
	require.NoError(t, json.Unmarshal(f.Header, &got))
	bare.InputSchema = abi.JSON(`{"type":"object"}`)
	require.Equal(t, abi.Description{ABI: abi.Version, Tools: []abi.Spec{full, bare, raw}}, got)

	for text, want := range map[string]string{"{": "broken JSON", `{"name":"b"}`: "for a tool called b", `[]`: "for a tool called "} {
		m, err := NewModule(Tool{Spec: abi.Spec{Name: "a"}, SpecJSON: text, Call: echo})
		require.NoError(t, err)
		_, err = m.Describe()
		require.ErrorContains(t, err, want)
	}
}

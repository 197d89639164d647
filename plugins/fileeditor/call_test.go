package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// A workspace is a directory, the fake service over it and the tool.
type workspace struct {
	t    *testing.T
	host *fakeHost
	root string
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(root, 0o755))
	return &workspace{t, &fakeHost{root: root, history: map[string][]undoEntry{}}, root}
}

func (w *workspace) write(name, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(filepath.Join(w.root, name)), 0o755))
	require.NoError(w.t, os.WriteFile(filepath.Join(w.root, name), []byte(text), 0o644))
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(filepath.Join(w.root, name))
	require.NoError(w.t, err)
	return string(b)
}

// observation is an answer as a client sees it, and the other answers beside.
type observation struct {
	content []map[string]any
	isError bool
	fields  map[string]any
	denied  string
	raised  string
	keys    []string
}

// text is the one text part of an observation.
func (o *observation) text(t *testing.T) string {
	t.Helper()
	require.Len(t, o.content, 1, "%+v", o)
	return o.content[0]["text"].(string)
}

func (w *workspace) call(args map[string]any) *observation { return w.serve(abi.OpCall, args) }

func (w *workspace) serve(op string, args map[string]any) *observation {
	w.t.Helper()
	header, err := json.Marshal(map[string]any{"op": op, "tool": toolName, "args": args})
	require.NoError(w.t, err)
	in, err := (&abi.Frame{Header: header, Attachments: [][]byte{[]byte(w.root)}}).Append(nil)
	require.NoError(w.t, err)
	f, err := guest.Registered().Serve(in, w.host)
	require.NoError(w.t, err)

	var a struct {
		Result *struct {
			Content []struct {
				Type, MIME string
				Text       *string
				Attachment *int
			}
			Fields  map[string]any
			IsError bool `json:"is_error"`
		}
		Denied *struct{ Path, Why string }
		Raised *struct{ Message string }
		Keys   []string
	}
	require.NoError(w.t, json.Unmarshal(f.Header, &a), "%s", f.Header)
	o := &observation{keys: a.Keys}
	switch {
	case a.Denied != nil:
		o.denied = a.Denied.Path
	case a.Raised != nil:
		o.raised = a.Raised.Message
	case a.Result != nil:
		o.isError, o.fields = a.Result.IsError, a.Result.Fields
		for _, p := range a.Result.Content {
			part := map[string]any{"type": p.Type}
			switch {
			case p.Type == "image":
				part["mime"], part["bytes"] = p.MIME, f.Attachments[*p.Attachment]
			case p.Attachment != nil:
				part["text"] = string(f.Attachments[*p.Attachment])
			default:
				part["text"] = *p.Text
			}
			o.content = append(o.content, part)
		}
		for name, v := range o.fields {
			if ref, ok := v.(map[string]any); ok {
				if n, ok := ref[abi.FieldBlob]; ok {
					o.fields[name] = string(w.host.blobs[int(n.(float64))])
				}
				if n, ok := ref[abi.FieldAttachment]; ok {
					o.fields[name] = string(f.Attachments[int(n.(float64))])
				}
			}
		}
	}
	return o
}

package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const conformance = "../../testdata/conformance/"

// A vector is one recorded case, see testdata/conformance/README.md.
type vector struct {
	ID    string
	Files []vectorFile
	Calls []struct {
		Write  []vectorFile
		Remove string
		Repair bool
		Args   map[string]any
		Want   struct {
			IsError     bool `json:"is_error"`
			Text        string
			Parts       []map[string]any
			Fields      map[string]any
			Denied      bool
			InvalidArgs []any `json:"invalid_args"`
		}
	}
	After json.RawMessage
}

type vectorFile struct {
	Path, Text, Tail, Base64, Link, Hardlink, Mode string
	Repeat                                         int
	Dir, FIFO                                      bool
	Parts                                          [][2]any
}

func (f *vectorFile) bytes(t *testing.T) []byte {
	if f.Base64 != "" {
		b, err := base64.StdEncoding.DecodeString(f.Base64)
		require.NoError(t, err)
		return b
	}
	var b strings.Builder
	for _, p := range f.Parts {
		b.WriteString(strings.Repeat(p[0].(string), int(p[1].(float64))))
	}
	b.WriteString(strings.Repeat(f.Text, max(1, f.Repeat)) + f.Tail)
	return []byte(b.String())
}

func (f *vectorFile) make(t *testing.T, root string) {
	path := filepath.Join(root, f.Path)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	switch {
	case f.Dir:
		require.NoError(t, os.MkdirAll(path, 0o755))
	case f.Link != "":
		require.NoError(t, os.Symlink(strings.ReplaceAll(f.Link, "${W}", root), path))
	case f.Hardlink != "":
		require.NoError(t, os.Link(filepath.Join(root, f.Hardlink), path))
	case f.FIFO:
		require.NoError(t, syscall.Mkfifo(path, 0o600))
	default:
		require.NoError(t, os.WriteFile(path, f.bytes(t), 0o644))
	}
}

// beyondFake are the cases that need more than the fake service does: encodings
// other than UTF-8, whole lines kept inside an edit, hard links split.
var beyondFake = []string{
	"meta/hard-link", "encoding/", "endings/mixed-",
}

// TestConformance runs the recorded cases natively over the fake service. Cases
// whose arguments are refused or repaired never reach the tool as recorded.
func TestConformance(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(conformance + "file_editor.json")
	require.NoError(t, err)
	var vectors []vector
	require.NoError(t, json.Unmarshal(b, &vectors))
	ran := 0
cases:
	for i := range vectors {
		v := &vectors[i]
		name := strings.TrimPrefix(v.ID, "file_editor/")
		for _, prefix := range beyondFake {
			if strings.HasPrefix(name, prefix) && !strings.Contains(name, "utf-8-short") && !strings.Contains(name, "utf-8-arrows") {
				continue cases
			}
		}
		if len(v.Calls) > 0 && (v.Calls[0].Want.InvalidArgs != nil || v.Calls[0].Repair || strings.HasPrefix(name, "args/range-string") ||
			strings.HasPrefix(name, "args/insert-string")) {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v.run(t)
		})
	}
	require.Greater(t, ran, 200)
}

func (v *vector) run(t *testing.T) {
	w := newWorkspace(t)
	for i := range v.Files {
		v.Files[i].make(t, w.root)
	}
	fill := func(s string) string { return strings.ReplaceAll(s, "${W}", w.root) }
	for n := range v.Calls {
		c := &v.Calls[n]
		switch {
		case c.Remove != "":
			require.NoError(t, os.Remove(filepath.Join(w.root, c.Remove)))
			continue
		case c.Write != nil:
			for i := range c.Write {
				c.Write[i].make(t, w.root)
			}
			continue
		}
		args := map[string]any{}
		for k, a := range c.Args {
			if s, ok := a.(string); ok {
				a = fill(s)
			}
			args[k] = a
		}
		got := w.call(args)
		if c.Want.Denied {
			require.Equal(t, args["path"], got.denied, "call %d: %+v", n, got)
			continue
		}
		require.Equal(t, c.Want.IsError, got.isError, "call %d: %+v", n, got)
		if c.Want.Parts == nil {
			require.Equal(t, fill(c.Want.Text), got.text(t), "call %d", n)
		} else {
			require.Len(t, got.content, 2)
			require.Equal(t, fill(c.Want.Parts[0]["text"].(string)), got.content[0]["text"])
			url := "data:" + got.content[1]["mime"].(string) + ";base64," + base64.StdEncoding.EncodeToString(got.content[1]["bytes"].([]byte))
			require.Equal(t, c.Want.Parts[1]["image_urls"], []any{url})
		}
		for k, want := range c.Want.Fields {
			switch value := want.(type) {
			case string:
				want = fill(value)
			case map[string]any: // a long text
				s, ok := got.fields[k].(string)
				require.True(t, ok)
				sum := sha256.Sum256([]byte(s))
				got.fields[k] = map[string]any{"sha256": hex.EncodeToString(sum[:]), "chars": float64(utf8.RuneCountInString(s))}
			}
			require.Contains(t, got.fields, k)
			require.Equal(t, want, got.fields[k], "call %d: field %s", n, k)
		}
	}
	var after []vectorFile
	if json.Unmarshal(v.After, &after) != nil {
		return // not compared
	}
	for i := range after {
		f := &after[i]
		path := filepath.Join(w.root, f.Path)
		switch {
		case f.Link != "":
			link, err := os.Readlink(path)
			require.NoError(t, err)
			require.Equal(t, fill(f.Link), link)
		case f.Dir || f.FIFO || f.Text == "" && f.Base64 == "":
			_, err := os.Lstat(path)
			require.NoError(t, err)
		default:
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(f.bytes(t)), string(b), f.Path)
		}
	}
}

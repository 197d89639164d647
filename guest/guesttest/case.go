package guesttest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Placeholder stands for the workspace root in every string of a case.
const Placeholder = "${W}"

// A Case is a recorded session: files, calls in order, and what must be there
// afterwards.
type Case struct {
	ID    string          `json:"id"`
	Note  string          `json:"note"`
	Why   string          `json:"why"` // of a deliberate difference from the reference
	Files []File          `json:"files"`
	Calls []Call          `json:"calls"`
	After json.RawMessage `json:"after"` // absent or false: not compared
	Needs string          `json:"needs"` // "root"
}

// A File is a file, link, folder or FIFO of a workspace, or, in After, what is
// expected of one.
type File struct {
	Path     string   `json:"path"`
	PathB64  string   `json:"path_b64"`
	Text     string   `json:"text"`
	Repeat   *int     `json:"repeat"`
	Tail     string   `json:"tail"`
	Parts    [][2]any `json:"parts"`
	Base64   *string  `json:"base64"`
	Link     *string  `json:"link"`
	Dir      bool     `json:"dir"`
	FIFO     bool     `json:"fifo"`
	HardLink string   `json:"hardlink"`
	Mode     string   `json:"mode"`
	MTime    *int64   `json:"mtime"`
	Owner    *int     `json:"owner"`
	SHA256   string   `json:"sha256"`
	Size     int64    `json:"size"`
}

// A Call is a tool call with what it must answer, or a change from outside
// between calls (Write, Remove).
type Call struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Want   json.RawMessage `json:"want"`
	Loose  string          `json:"loose"`
	Or     json.RawMessage `json:"or"`
	Write  []File          `json:"write"`
	Remove string          `json:"remove"`
}

// Load reads a file of cases. It fails the test when there are none or two share
// an ID.
func Load(t testing.TB, path string) []Case {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var cases []Case
	require.NoError(t, json.Unmarshal(b, &cases), path)
	require.NotEmpty(t, cases, path)
	seen := map[string]bool{}
	for _, c := range cases {
		require.False(t, seen[c.ID], "%s: two cases are called %s", path, c.ID)
		seen[c.ID] = true
	}
	return cases
}

// content returns the bytes that a File describes.
func (f *File) content() ([]byte, error) {
	switch {
	case f.Base64 != nil:
		return base64.StdEncoding.DecodeString(*f.Base64)
	case f.Parts != nil:
		var b strings.Builder
		for _, p := range f.Parts {
			b.WriteString(strings.Repeat(p[0].(string), int(p[1].(float64))))
		}
		return []byte(b.String()), nil
	}
	n := 1
	if f.Repeat != nil {
		n = *f.Repeat
	}
	return []byte(strings.Repeat(f.Text, n) + f.Tail), nil
}

// name returns the path relative to the workspace, as raw bytes.
func (f *File) name() string {
	if f.PathB64 == "" {
		return f.Path
	}
	b, err := base64.StdEncoding.DecodeString(f.PathB64)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// size is a case's largest file in bytes: what decides whether it runs on the
// slow engine.
func (c *Case) size() int {
	largest := 0
	for i := range c.Files {
		if b, err := c.Files[i].content(); err == nil {
			largest = max(largest, len(b))
		}
	}
	return largest
}

// place puts the workspace root in for the placeholder, in JSON.
func place(b json.RawMessage, root string) json.RawMessage {
	quoted, _ := json.Marshal(root)
	return bytes.ReplaceAll(b, []byte(Placeholder), quoted[1:len(quoted)-1])
}

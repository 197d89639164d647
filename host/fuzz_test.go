package host

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/ijson"
	"github.com/ohhost/ohhost/tool"
)

// FuzzAnswer: a guest's answer is one of the four kinds or an error, never a
// panic, and every edge can print a result as I-JSON on one line.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"result":{"content":[{"type":"text","text":"x"}],"fields":{"a":1,"b":{"$blob":0},"c":{"$attachment":0}},"is_error":true}}`,
		`{"result":{"content":[{"type":"image","mime":"image/png","attachment":0}]}}`,
		`{"denied":{"path":"/x","why":"y"}}`, `{"raised":{"message":"x"}}`, `{"keys":["a","b"]}`, `{"result":{"fields":{"content":1}}}`,
		`{"result":{"fields":{"a":1e999,"b":"\ud800","c":{"x":1,"x":2}},"content":[{"type":"text","text":"\u001b\u0000"}]}}`,
		`{"result":{"content":[]},"RESULT":1,"fields":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}`, "{\"result\":{\"fields\":{\"\xff\":\"\xff\"}}}",
	} {
		f.Add([]byte(s), []byte("text"))
	}
	f.Fuzz(func(t *testing.T, header, attachment []byte) {
		a, err := parseAnswer(&abi.Frame{Header: header, Attachments: [][]byte{attachment}}, func(i int) ([]byte, bool) { return []byte("blob"), i == 0 })
		if err != nil {
			require.Nil(t, a)
			return
		}
		n := 0
		for _, set := range []bool{a.result != nil, a.denied != nil, a.raised != nil, a.keys != nil} {
			if set {
				n++
			}
		}
		require.Equal(t, 1, n)
		if a.result == nil {
			return
		}
		for i, text := range a.texts {
			a.result.Content[i].Text = string(text)
		}
		var shown bytes.Buffer
		require.NoError(t, tool.WriteObservation(&shown, a.result))
		require.NoError(t, ijson.Check(shown.Bytes()))
		require.NotContains(t, shown.String(), "\n")
	})
}

// FuzzDescription: what a module says of itself is specs with good names, or an
// error.
func FuzzDescription(f *testing.F) {
	f.Add([]byte(`{"abi":"ohhost_v1","tools":[{"name":"x","inputSchema":{},"needs":{"files":"read"}}]}`))
	f.Add([]byte(`{"abi":"ohhost_v1","tools":[{"name":"x","inputSchema":null}]}`))
	f.Add([]byte(`{"abi":"ohhost_v1","tools":[{"name":"x","title":"\u202e","description":"\udb40\udc61\u001b","inputSchema":{"a":{"a":1,"a":2}}}]}`))
	f.Fuzz(func(t *testing.T, header []byte) {
		specs, err := parseDescription(header)
		if err != nil {
			require.Nil(t, specs)
			return
		}
		for _, s := range specs {
			require.Regexp(t, `^[A-Za-z0-9_-]{1,64}$`, s.Name)
			require.NotContains(t, s.Title+s.Description, "\x1b")
		}
		(&Inspection{Tools: specs}).Hidden()
	})
}

// FuzzFilesRequest: no request ends the call, and on a workspace that is granted
// for reading none changes anything.
func FuzzFilesRequest(f *testing.F) {
	b := newBench(f, false)
	b.put(f, "f", "one\ntwo\n")
	path := filepath.Join(b.dir, "f")
	for _, s := range []string{
		`{"op":"read","decode":true}`, `{"op":"stat","follow":true}`, `{"op":"list"}`, `{"op":"realpath"}`, `{"op":"text","blob":1}`,
		`{"op":"apply","changes":[{"op":"put","path":0,"data":1}],"state":[{"name":"x","data":1}]}`,
		`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,1,1],[2,1,1]],"undo":0}]}`,
		`{"op":"apply","changes":[{"op":"move","path":0,"to":1},{"op":"undo","path":0,"undo":1}]}`,
	} {
		f.Add([]byte(s), []byte(path), []byte("data"))
	}
	f.Fuzz(func(t *testing.T, header, a, c []byte) {
		if bytes.Contains(header, []byte("state")) {
			return // a set of state alone may be applied
		}
		b.files.blobs, b.files.kept, *b.files.quota = nil, 0, quota{limits: b.limits}
		answer, err := b.files.Invoke(context.Background(), &abi.Frame{Header: header, Attachments: [][]byte{a, c}})
		require.NoError(t, err)
		_, err = answer.Append(nil)
		require.NoError(t, err)
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "one\ntwo\n", string(have))
		entries, err := os.ReadDir(b.dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	})
}

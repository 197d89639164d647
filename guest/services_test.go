package guest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

// answering returns a host that gives every request one answer and keeps the
// request's attachments in got.
func answering(header string, got *[][]byte, attachments ...[]byte) *fakeHost {
	return &fakeHost{invoke: func(req *abi.Frame) (*abi.Frame, int64) {
		if got != nil {
			*got = req.Attachments
		}
		return &abi.Frame{Header: []byte(header), Attachments: attachments}, 0
	}}
}

func TestFilesRequests(t *testing.T) {
	t.Parallel()
	entries := abi.AppendEntry(abi.AppendEntry(nil, &abi.Entry{Name: "a", Type: abi.TypeFile, Target: abi.TypeFile, Size: 3}),
		&abi.Entry{Name: "b", Type: abi.TypeDir, Target: abi.TypeDir})
	for _, tt := range []struct {
		name        string
		answer      string
		attachments [][]byte
		do          func(f Files) (any, error)
		header      map[string]any
		sent        [][]byte
		want        any
	}{
		{name: "stat", answer: `{"type":"link","size":5,"mode":493,"mtime_ns":-1}`,
			do:     func(f Files) (any, error) { return f.Stat("/a\xff", true) },
			header: map[string]any{"op": "stat", "follow": true}, sent: [][]byte{[]byte("/a\xff")},
			want: &FileInfo{Type: abi.TypeLink, Size: 5, Mode: 0o755, MTime: -1}},
		{name: "realpath", answer: `{}`, attachments: [][]byte{[]byte("/r")},
			do:     func(f Files) (any, error) { return f.RealPath("/a") },
			header: map[string]any{"op": "realpath"}, sent: [][]byte{[]byte("/a")}, want: "/r"},
		{name: "list", answer: `{"count":2}`, attachments: [][]byte{entries},
			do:     func(f Files) (any, error) { return f.List("/d", &ListOptions{Follow: true, Max: 9}) },
			header: map[string]any{"op": "list", "follow": true, "max": 9.0}, sent: [][]byte{[]byte("/d")},
			want: []abi.Entry{{Name: "a", Type: abi.TypeFile, Target: abi.TypeFile, Size: 3}, {Name: "b", Type: abi.TypeDir, Target: abi.TypeDir}}},
		{name: "read", answer: `{"size":2,"digest":"d"}`, attachments: [][]byte{[]byte("hi")},
			do:     func(f Files) (any, error) { return f.Read("/a", 10) },
			header: map[string]any{"op": "read", "max": 10.0}, sent: [][]byte{[]byte("/a")},
			want: &FileData{Data: []byte("hi"), Digest: "d"}},
		{name: "read text", attachments: [][]byte{[]byte("hi"), []byte("HI")},
			answer: `{"size":2,"digest":"d","encoding":"utf-8","certain":true,"bom":true,"stray":1,"control":true,"line_end":"\r\n"}`,
			do:     func(f Files) (any, error) { return f.ReadText("/a", 0) },
			header: map[string]any{"op": "read", "decode": true}, sent: [][]byte{[]byte("/a")},
			want: &FileText{Text: []byte("hi"), Head: []byte("HI"), Size: 2, Digest: "d", LineEnd: "\r\n", Encoding: "utf-8",
				Certain: true, BOM: true, Stray: 1, Control: true}},
		{name: "text", answer: `{}`, attachments: [][]byte{[]byte("t")},
			do:     func(f Files) (any, error) { return f.Text(3) },
			header: map[string]any{"op": "text", "blob": 3.0}, want: []byte("t")},
		{name: "apply", answer: `{"changes":[{"created":true,"size":1,"digest":"e","old_text":null,"new_text":4},{"old_text":5,"new_text":6,"converted_from":"x"},{},{},{},{}]}`,
			do: func(f Files) (any, error) {
				put := Put("/p", []byte("data"))
				put.Expect, put.Max, put.History, put.HistoryNew = abi.Absent, 7, "key", true
				undo := Undo("/u", "k")
				undo.Expect = "dig"
				return f.ApplySet(&ChangeSet{
					Changes: []Change{put, Edit("/e", Splice{1, 2, []byte("x")}, Splice{4, 0, nil}), Delete("/d"), Move("/m", "/n"), Mkdir("/k"), undo},
					State:   []StatePut{{"s", []byte("v")}},
				})
			},
			header: map[string]any{"op": "apply",
				"changes": []any{
					map[string]any{"op": "put", "path": 0.0, "data": 1.0, "expect": "absent", "max": 7.0, "undo": 2.0, "undo_new": true},
					map[string]any{"op": "edit", "path": 3.0, "splices": []any{[]any{1.0, 2.0, 4.0}, []any{4.0, 0.0, 5.0}}},
					map[string]any{"op": "delete", "path": 6.0},
					map[string]any{"op": "move", "path": 7.0, "to": 8.0},
					map[string]any{"op": "mkdir", "path": 9.0},
					map[string]any{"op": "undo", "path": 10.0, "undo": 11.0, "expect": "dig"},
				},
				"state": []any{map[string]any{"name": "s", "data": 12.0}}},
			sent: [][]byte{[]byte("/p"), []byte("data"), []byte("key"), []byte("/e"), []byte("x"), {}, []byte("/d"), []byte("/m"), []byte("/n"),
				[]byte("/k"), []byte("/u"), []byte("k"), []byte("v")},
			want: []Changed{{Created: true, Size: 1, Digest: "e", OldText: NoBlob, NewText: 4}, {ConvertedFrom: "x", OldText: 5, NewText: 6},
				{OldText: NoBlob, NewText: NoBlob}, {OldText: NoBlob, NewText: NoBlob}, {OldText: NoBlob, NewText: NoBlob}, {OldText: NoBlob, NewText: NoBlob}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var sent [][]byte
			h := answering(tt.answer, &sent, tt.attachments...)
			got, err := tt.do((&Call{host: h}).Files())
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			tt.header["service"] = "files"
			require.Equal(t, tt.header, h.header)
			require.Equal(t, tt.sent, sent)
		})
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	var sent [][]byte
	h := answering(`{"found":true}`, &sent, []byte("v"))
	data, found, err := (&Call{host: h}).State().Get("n")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []byte("v"), data)
	require.Equal(t, map[string]any{"service": "state", "op": "get", "name": "n"}, h.header)

	_, found, err = State{answering(`{"found":false}`, nil)}.Get("n")
	require.NoError(t, err)
	require.False(t, found)

	h = answering(`{}`, &sent)
	require.NoError(t, State{h}.Put("n", []byte("data")))
	require.Equal(t, [][]byte{[]byte("data")}, sent)
	require.NoError(t, State{h}.Delete("n"))
	require.Equal(t, map[string]any{"service": "state", "op": "delete", "name": "n"}, h.header)

	names, err := State{answering(`{"names":["a","b"]}`, nil)}.List()
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)

	err = State{answering(`{"error":{"kind":"quota","message":"full"}}`, nil)}.Put("n", nil)
	require.Equal(t, &StateError{Op: "put", Name: "n", Kind: abi.ErrQuota, Message: "full"}, err)
	require.EqualError(t, err, "state: put n: full")
}

func TestFileErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer string
		want   error
		text   string
	}{
		{`{"error":{"kind":"os","message":"Permission denied","errno":13,"name":"EACCES"}}`,
			&FileError{Op: "read", Path: "/a", Kind: abi.ErrOS, Message: "Permission denied", Errno: 13, Name: "EACCES"}, "read /a: Permission denied"},
		{`{"error":{"kind":"too_large","message":"over the limit","size":11}}`,
			&FileError{Op: "read", Path: "/a", Kind: abi.ErrTooLarge, Message: "over the limit", Size: 11}, "read /a: over the limit (11 bytes)"},
		{`{"error":{"kind":"denied","message":"outside"}}`, &DeniedError{Path: "/a", Why: "outside"}, "/a: denied: outside"},
	} {
		_, err := Files{answering(tt.answer, nil)}.Read("/a", 1)
		require.Equal(t, tt.want, err)
		require.EqualError(t, err, tt.text)
	}

	_, err := Files{answering(`{"error":{"kind":"changed","message":"m","change":1}}`, nil)}.Apply(Delete("/a"), Delete("/b"))
	require.Equal(t, &FileError{Op: "apply", Path: "/b", Kind: abi.ErrChanged, Message: "m", Change: 1}, err)
	_, err = Files{answering(`{"error":{"kind":"denied","message":"m","change":0}}`, nil)}.Apply(Delete("/a"), Delete("/b"))
	require.Equal(t, &DeniedError{Path: "/a", Why: "m"}, err)
	_, err = Files{answering(`{"error":{"kind":"invalid","message":"m","change":9}}`, nil)}.Apply(Delete("/a"))
	require.Equal(t, &FileError{Op: "apply", Kind: abi.ErrInvalid, Message: "m", Change: 9}, err)
	_, err = Files{answering(`{"changes":[]}`, nil)}.Apply(Delete("/a"))
	require.ErrorContains(t, err, "does not list every change")
	_, err = Files{answering(`{}`, nil, []byte("x"))}.List("/a", nil)
	require.ErrorIs(t, err, abi.ErrEntry)
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	refusing := func(code int64) Files {
		return Files{&fakeHost{invoke: func(*abi.Frame) (*abi.Frame, int64) { return nil, code }}}
	}
	_, err := refusing(abi.RefusedService).Read("/a", 0)
	require.Equal(t, &DeniedError{Why: "the service files is not granted"}, err)
	require.EqualError(t, err, "denied: the service files is not granted")
	_, err = refusing(abi.RefusedLimit).Read("/a", 0)
	require.ErrorIs(t, err, errLimit)
	_, err = refusing(abi.RefusedLimit).List("/a", nil)
	require.Equal(t, &FileError{Op: "list", Path: "/a", Kind: abi.ErrInvalid, Message: "the names of the directory are over the limit"}, err)
	_, err = refusing(abi.RefusedMalformed).Read("/a", 0)
	require.ErrorContains(t, err, "malformed")
	for _, header := range []string{"", "[]", `{"a":`} {
		_, err = Files{answering(header, nil)}.Read("/a", 0)
		require.ErrorContains(t, err, "service files: ", header)
	}
	_, err = Files{answering(`{"type":"`+strings.Repeat("x", 9)+`"}`, nil)}.Stat("/a", false)
	require.NoError(t, err)
}

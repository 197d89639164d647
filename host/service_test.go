package host

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/tool"
)

// bench is the services of one call on a workspace.
type bench struct {
	dir    string
	limits *Limits
	files  *filesService
	state  *stateService
}

func newBench(t testing.TB, write bool) *bench {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(dir, 0o755))
	j, err := jail.New(&tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: write}}}, nil)
	require.NoError(t, err)
	s, err := session.Open(filepath.Join(top, "session"), &session.Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, j.Close())
		require.NoError(t, s.Close())
	})
	limits := Limits{}.defaults()
	written := &quota{limits: &limits}
	return &bench{
		dir:    dir,
		limits: &limits,
		files:  &filesService{jail: j, sess: s, call: &tool.Call{}, log: hclog.NewNullLogger(), noSync: true, limits: &limits, quota: written},
		state:  &stateService{sess: s, quota: written},
	}
}

func (b *bench) put(t testing.TB, name, content string) string {
	t.Helper()
	p := filepath.Join(b.dir, name)
	require.NoError(t, os.WriteFile(p, []byte(content), 0o644))
	return p
}

// ask sends a request and returns the answer's header and attachments.
func ask(t testing.TB, s tool.Service, header string, attachments ...string) (string, []string) {
	t.Helper()
	req := &abi.Frame{Header: []byte(header)}
	for _, a := range attachments {
		req.Attachments = append(req.Attachments, []byte(a))
	}
	f, err := s.Invoke(context.Background(), req)
	require.NoError(t, err)
	require.True(t, json.Valid(f.Header))
	var as []string
	for _, a := range f.Attachments {
		as = append(as, string(a))
	}
	return string(f.Header), as
}

// digestEmpty is the SHA-256 of nothing.
const digestEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestFilesRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	crlf := b.put(t, "crlf", "\xef\xbb\xbfa\r\nb\r\n")
	empty := b.put(t, "empty", "")
	binary := b.put(t, "binary", "a\x01\xff\xfe")
	long := b.put(t, "long", strings.Repeat("x", 600))

	h, as := ask(t, b.files, `{"op":"read"}`, empty)
	require.JSONEq(t, `{"size":0,"digest":"`+digestEmpty+`"}`, h)
	require.Equal(t, []string{""}, as)

	_, as = ask(t, b.files, `{"op":"read"}`, crlf)
	require.Equal(t, []string{"\xef\xbb\xbfa\r\nb\r\n"}, as)

	h, as = ask(t, b.files, `{"op":"read","decode":true}`, crlf)
	var got readHeader
	require.NoError(t, json.Unmarshal([]byte(h), &got))
	got.Digest = ""
	require.Equal(t, readHeader{Size: 9, Encoding: "utf-8", Certain: true, BOM: true, LineEnd: "\r\n"}, got)
	require.Equal(t, []string{"a\nb\n", "\xef\xbb\xbfa\r\nb\r\n"}, as)

	h, as = ask(t, b.files, `{"op":"read","decode":true}`, binary)
	require.Contains(t, h, `"undecodable":"'utf-8' codec can't decode byte 0xff in position 2: invalid start byte"`)
	require.Equal(t, []string{"", "a\x01\xff\xfe"}, as)

	_, as = ask(t, b.files, `{"op":"read","decode":true}`, long)
	require.Len(t, as[1], 512)
}

func TestFilesStat(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	p := b.put(t, "f", "four")
	require.NoError(t, os.Chtimes(p, time0, time0))
	require.NoError(t, os.Symlink("f", filepath.Join(b.dir, "l")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, "p"), 0o600))

	h, _ := ask(t, b.files, `{"op":"stat"}`, p)
	require.JSONEq(t, `{"type":"file","size":4,"mode":420,"mtime_ns":1000000000}`, h)
	h, _ = ask(t, b.files, `{"op":"stat"}`, b.dir+"/l")
	require.Contains(t, h, `"type":"link"`)
	h, _ = ask(t, b.files, `{"op":"stat","follow":true}`, b.dir+"/l")
	require.Contains(t, h, `"type":"file"`)
	h, _ = ask(t, b.files, `{"op":"stat"}`, b.dir)
	require.Contains(t, h, `"type":"dir"`)
	h, _ = ask(t, b.files, `{"op":"stat"}`, b.dir+"/p")
	require.Contains(t, h, `"type":"other"`)

	_, as := ask(t, b.files, `{"op":"realpath"}`, b.dir+"/../w//./l")
	require.Equal(t, []string{p}, as)
}

func TestFilesList(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	b.put(t, "f", "four")
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "d"), 0o700))
	for link, to := range map[string]string{"to d": "d", "to f": "f", "out": "/etc", "none": "none"} {
		require.NoError(t, os.Symlink(to, filepath.Join(b.dir, link)))
	}
	h, as := ask(t, b.files, `{"op":"list","follow":true}`, b.dir)
	require.JSONEq(t, `{"count":6}`, h)
	entries, err := abi.DecodeEntries([]byte(as[0]))
	require.NoError(t, err)
	got := map[string][2]byte{}
	for _, e := range entries {
		got[e.Name] = [2]byte{e.Type, e.Target}
	}
	require.Equal(t, map[string][2]byte{
		"f": {abi.TypeFile, abi.TypeFile}, "d": {abi.TypeDir, abi.TypeDir},
		"to d": {abi.TypeLink, abi.TypeDir}, "to f": {abi.TypeLink, abi.TypeFile},
		"out": {abi.TypeLink, abi.TypeNone}, "none": {abi.TypeLink, abi.TypeNone},
	}, got)

	h, _ = ask(t, b.files, `{"op":"list","max":5}`, b.dir)
	require.Contains(t, h, `"kind":"invalid"`)
}

// TestFilesRefused: every kind of error that a request can get.
func TestFilesRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	p := b.put(t, "f", "one\n")
	require.NoError(t, syscall.Mkfifo(filepath.Join(b.dir, "p"), 0o600))
	edit := func(more string) string {
		return `{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,3,1]]` + more + `}]}`
	}
	for _, c := range []struct {
		name, header string
		attachments  []string
		want         string
	}{
		{"no path", `{"op":"read"}`, nil, `{"kind":"invalid","message":"read: attachment 0 must be the path","change":0}`},
		{"unknown", `{"op":"format"}`, []string{p}, `{"kind":"invalid","message":"no operation \"format\"","change":0}`},
		{"missing", `{"op":"read"}`, []string{b.dir + "/none"}, `{"kind":"os","message":"No such file or directory","errno":2,"name":"ENOENT","change":0}`},
		{"directory", `{"op":"read"}`, []string{b.dir}, `{"kind":"os","message":"Is a directory","errno":21,"name":"EISDIR","change":0}`},
		{"below a file", `{"op":"stat"}`, []string{p + "/x"}, `{"kind":"os","message":"Not a directory","errno":20,"name":"ENOTDIR","change":0}`},
		{"NUL", `{"op":"read"}`, []string{p + "\x00"}, `{"kind":"os","message":"Invalid argument","errno":22,"name":"EINVAL","change":0}`},
		{"FIFO", `{"op":"read"}`, []string{b.dir + "/p"}, `{"kind":"not_regular","message":"open ` + b.dir + `/p: neither a regular file nor a directory","change":0}`},
		{"denied", `{"op":"read"}`, []string{"/etc/passwd"}, `{"kind":"denied","message":"it is outside the grants","change":0}`},
		{"too large", `{"op":"read","max":3}`, []string{p}, `{"kind":"too_large","message":"the file is too large: 4 bytes","size":4,"change":0}`},
		{"blob", `{"op":"text","blob":0}`, nil, `{"kind":"not_found","message":"there is no blob 0","change":0}`},
		{"no attachment", `{"op":"apply","changes":[{"op":"put","path":3}]}`, []string{p}, `{"kind":"invalid","message":"apply: changes[0]: path: there is no attachment 3","change":0}`},
		{"negative attachment", `{"op":"apply","changes":[{"op":"put","path":0,"data":-1}]}`, []string{p}, `{"kind":"invalid","message":"apply: changes[0]: data: there is no attachment -1","change":0}`},
		{"changed", edit(`,"expect":"` + digestEmpty + `"`), []string{p, "x"}, `{"kind":"changed","message":"` + p + `: the file was changed since it was read","change":0}`},
		{"grown", edit(`,"max":5`), []string{p, "longer"}, `{"kind":"too_large","message":"` + p + `: the file is too large: 7 bytes","size":7,"change":0}`},
		{"denied write", edit(``), []string{"/etc/passwd", "x"}, `{"kind":"denied","message":"it is outside the grants","change":0}`},
		{"protected write", `{"op":"apply","changes":[{"op":"mkdir","path":0}]}`, []string{b.dir + "/.SSH"}, `{"kind":"denied","message":"it is protected: it holds keys, and ssh runs commands it names","change":0}`},
		{"no undo", `{"op":"apply","changes":[{"op":"undo","path":0,"undo":0}]}`, []string{p}, `{"kind":"no_undo","message":"` + p + `: no undo entry","change":0}`},
		{"many files", `{"op":"apply","changes":[{"op":"delete","path":0},{"op":"delete","path":0}]}`, []string{p}, `{"kind":"invalid","message":"a set of more than one file needs the journal, which this version does not have","change":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, as := ask(t, b.files, c.header, c.attachments...)
			require.JSONEq(t, `{"error":`+c.want+`}`, h)
			require.Empty(t, as)
			have, err := os.ReadFile(p)
			require.NoError(t, err)
			require.Equal(t, "one\n", string(have))
		})
	}
	h, _ := ask(t, b.files, `{"op":`)
	require.Contains(t, h, `"kind":"invalid","message":"broken JSON: `)
	h, _ = ask(t, b.files, `{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[1,2]]}]}`, p, "x")
	require.Contains(t, h, `splices[0]: want [at, del, attachment]`)
}

// TestFilesApply: a change is applied, told, and its texts are kept for the call.
func TestFilesApply(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	p := b.put(t, "f", "one\r\ntwo\r\n")
	var told []tool.Change
	b.files.call.Changed = func(c tool.Change) {
		told = append(told, tool.Change{Path: c.Path, Before: append([]byte{}, c.Before...), After: append([]byte{}, c.After...)})
	}
	h, _ := ask(t, b.files, `{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,3,1]],"undo":0}],"state":[{"name":"n","data":2}]}`, p, "1\n2", "value")
	var got struct {
		Changes []changeAnswer `json:"changes"`
	}
	require.NoError(t, json.Unmarshal([]byte(h), &got))
	require.Len(t, got.Changes, 1)
	require.EqualValues(t, 11, got.Changes[0].Size)
	have, err := os.ReadFile(p)
	require.NoError(t, err)
	require.Equal(t, "1\r\n2\r\ntwo\r\n", string(have))
	require.Equal(t, []tool.Change{{Path: p, Before: []byte("one\r\ntwo\r\n"), After: have}}, told)
	_, as := ask(t, b.files, `{"op":"text","blob":0}`)
	require.Equal(t, []string{"one\ntwo\n"}, as)
	_, as = ask(t, b.files, `{"op":"text","blob":1}`)
	require.Equal(t, []string{"1\n2\ntwo\n"}, as)

	h, as = ask(t, b.state, `{"op":"get","name":"n"}`)
	require.JSONEq(t, `{"found":true}`, h)
	require.Equal(t, []string{"value"}, as)

	// a dry run tells the same and changes nothing
	told, b.files.call.DryRun = nil, true
	ask(t, b.files, `{"op":"apply","changes":[{"op":"delete","path":0}]}`, p)
	require.Equal(t, []tool.Change{{Path: p, Before: have, After: []byte{}}}, told)
	require.FileExists(t, p)

	b.files.readOnly = true
	h, _ = ask(t, b.files, `{"op":"apply","changes":[{"op":"delete","path":0}]}`, p)
	require.Contains(t, h, `"kind":"invalid"`)
	require.FileExists(t, p)
}

func TestState(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	h, as := ask(t, b.state, `{"op":"get","name":"a"}`)
	require.JSONEq(t, `{"found":false}`, h)
	require.Equal(t, []string{""}, as)
	h, _ = ask(t, b.state, `{"op":"list"}`)
	require.JSONEq(t, `{"names":[]}`, h)
	h, _ = ask(t, b.state, `{"op":"put","name":"a"}`, "\x00\xff")
	require.JSONEq(t, `{}`, h)
	_, as = ask(t, b.state, `{"op":"get","name":"a"}`)
	require.Equal(t, []string{"\x00\xff"}, as)
	h, _ = ask(t, b.state, `{"op":"list"}`)
	require.JSONEq(t, `{"names":["a"]}`, h)
	for _, bad := range []string{"", "../x", "a/b", strings.Repeat("x", 129)} {
		h, _ = ask(t, b.state, `{"op":"put","name":"`+bad+`"}`, "x")
		require.Contains(t, h, `"kind":"invalid"`, bad)
	}
	h, _ = ask(t, b.state, `{"op":"put","name":"big"}`, strings.Repeat("x", session.MaxState+1))
	require.Contains(t, h, `"kind":"quota"`)
	h, _ = ask(t, b.state, `{"op":"put","name":"a"}`)
	require.Contains(t, h, `put: attachment 0 must be the value`)
	h, _ = ask(t, b.state, `{"op":"drop","name":"a"}`)
	require.Contains(t, h, `no operation \"drop\"`)

	b.state.readOnly = true
	ask(t, b.state, `{"op":"put","name":"a"}`, "other")
	ask(t, b.state, `{"op":"delete","name":"a"}`)
	_, as = ask(t, b.state, `{"op":"get","name":"a"}`)
	require.Equal(t, []string{"\x00\xff"}, as)
	b.state.readOnly = false
	ask(t, b.state, `{"op":"delete","name":"a"}`)
	h, _ = ask(t, b.state, `{"op":"get","name":"a"}`)
	require.JSONEq(t, `{"found":false}`, h)
}

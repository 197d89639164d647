package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/session"
)

// onePut is a request that writes one file.
const onePut = `{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`

// kind is that of an answer's error; empty where it is none.
func kind(header string) string {
	var h struct {
		Error struct{ Kind, Message string }
	}
	if err := json.Unmarshal([]byte(header), &h); err != nil || h.Error.Kind == "" {
		return ""
	}
	return h.Error.Kind + ": " + h.Error.Message
}

// TestR10WrittenBytes: what all change sets and puts of state of a call write is
// bounded together; what is over it is refused, and the call goes on.
func TestR10WrittenBytes(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	b.limits.WrittenBytes = 20
	const full = "quota: a call writes at most 20 bytes"
	f, g := filepath.Join(b.dir, "f"), filepath.Join(b.dir, "g")
	h, _ := ask(t, b.files, onePut, f, "0123456789")
	require.Empty(t, kind(h))
	h, _ = ask(t, b.files, onePut, g, "0123456789x")
	require.Equal(t, full, kind(h))
	require.NoFileExists(t, g)
	h, _ = ask(t, b.files, `{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,0,1]]}]}`, f, "x")
	require.Equal(t, full, kind(h), "an edit writes the whole file")
	h, _ = ask(t, b.files, `{"op":"apply","changes":[{"op":"move","path":0,"to":1}],"state":[{"name":"s","data":2}]}`, f, g, "01234")
	require.Empty(t, kind(h), "a move writes nothing, five bytes are left")
	h, _ = ask(t, b.state, `{"op":"put","name":"t"}`, "012345")
	require.Equal(t, full, kind(h))
	h, _ = ask(t, b.state, `{"op":"get","name":"t"}`)
	require.JSONEq(t, `{"found":false}`, h)
	h, _ = ask(t, b.state, `{"op":"put","name":"t"}`, "01234")
	require.Empty(t, kind(h))
	h, _ = ask(t, b.files, `{"op":"apply","changes":[{"op":"delete","path":0}]}`, g)
	require.Equal(t, full, kind(h), "nothing is left")
	have, err := os.ReadFile(g)
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(have))
	h, _ = ask(t, b.files, `{"op":"read"}`, g)
	require.Empty(t, kind(h))

	dry := newBench(t, true)
	dry.limits.WrittenBytes, dry.files.call.DryRun = 20, true
	for i, want := range []string{"", "", full} {
		h, _ := ask(t, dry.files, onePut, filepath.Join(dry.dir, "f"), "0123456789")
		require.Equal(t, want, kind(h), i)
	}
}

// TestR10WrittenFiles: so is the number of files.
func TestR10WrittenFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	b.limits.WrittenFiles = 3
	for i := range 5 {
		h, _ := ask(t, b.files, onePut, fmt.Sprintf("%s/%d", b.dir, i), "")
		want := ""
		if i >= 3 {
			want = "quota: a call changes at most 3 files"
		}
		require.Equal(t, want, kind(h), i)
	}
	entries, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Len(t, entries, 3)
	h, _ := ask(t, b.files, `{"op":"apply","changes":[{"op":"delete","path":0},{"op":"delete","path":0},{"op":"delete","path":0},{"op":"delete","path":0}]}`, b.dir+"/1")
	require.Equal(t, "quota: a call changes at most 3 files", kind(h))
}

// TestR10KeptTexts: the texts of what a call has changed are kept as far as there is
// room; then a change answers as for what is no text.
func TestR10KeptTexts(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	f := b.put(t, "f", "old\n")
	b.files.kept = maxKept - 5
	var answer struct{ Changes []changeAnswer }
	h, _ := ask(t, b.files, onePut, f, "new\n")
	require.NoError(t, json.Unmarshal([]byte(h), &answer))
	require.NotNil(t, answer.Changes[0].OldText)
	require.Nil(t, answer.Changes[0].NewText)
	require.Equal(t, [][]byte{[]byte("old\n")}, b.files.blobs)
	have, err := os.ReadFile(f)
	require.NoError(t, err)
	require.Equal(t, "new\n", string(have))
}

// TestR13Requests: a small request that asks for much is refused, and does not cost
// the host much more memory than its own bytes.
func TestR13Requests(t *testing.T) {
	// Not parallel: it looks at how much is allocated.
	b := newBench(t, true)
	f := b.put(t, "f", "text\n")
	big := strings.Repeat("x", 20<<20)
	many := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	apply := func(changes, more string) string { return `{"op":"apply","changes":[` + changes + `]` + more + `}` }
	for _, c := range []struct {
		name, header string
		want         string
		most         uint64 // MiB allocated
	}{
		{"many changes with the same contents", apply(many(`{"op":"put","path":0,"data":1}`, 9000), ""),
			"invalid: a set of more than one file needs the journal, which this version does not have", 60},
		{"more changes than a call may make", apply(many(`{"op":"put","path":0,"data":1}`, 10_001), ""),
			"quota: a call changes at most 10000 files", 30},
		{"empty changes", apply(many(`{}`, 300_000), ""), "quota: a call changes at most 10000 files", 200},
		{"many splices of the same text", apply(`{"op":"edit","path":0,"splices":[`+many(`[0,0,1]`, 50_000)+`]}`, ""),
			"invalid: apply: changes[0]: the splices insert over 268435456 bytes", 60},
		{"many states of the same value", apply("", `,"state":[`+many(`{"name":"x","data":1}`, 4097)+`]`),
			"invalid: apply: state has 4097 values, at most 4096 are taken", 10},
		{"a long key of the undo history", apply(`{"op":"put","path":0,"data":0,"undo":1}`, ""),
			"invalid: apply: changes[0]: undo: the key has 20971520 bytes, at most 8192 are taken", 2},
		{"a long path", apply(`{"op":"put","path":2,"data":0}`, ""), "os: File name too long", 2},
		{"a long path to move to", apply(`{"op":"move","path":0,"to":2}`, ""), "os: File name too long", 2},
		{"a long header", `{"op":"apply","x":"` + big + `"}`, "invalid: broken JSON: it has 20971541 bytes, at most 1048576 are read", 2},
		{"a deep header", `{"op":"apply","changes":` + strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19-100) + "}", "invalid: broken JSON: it is nested deeper than 64 levels", 2},
		{"an operation twice", `{"op":"stat","op":"apply"}`, `invalid: broken JSON: an object has this name twice: "op"`, 2},
		{"half a surrogate pair", `{"op":"\ud800"}`, `invalid: broken JSON: it has a \u escape of half a surrogate pair`, 2},
		{"bytes", "{\"op\":\"\xff\"}", `invalid: broken JSON: it is not UTF-8`, 2},
		{"a number over all bounds", `{"op":"list","max":1e999}`, `invalid: broken JSON: a number is out of range: 1e999`, 2},
		{"a negative limit", `{"op":"read","max":-9223372036854775808}`, "", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			req := &abi.Frame{Header: []byte(c.header), Attachments: [][]byte{[]byte(f), []byte(big), []byte("/" + big)}}
			runtime.ReadMemStats(&before)
			answer, err := b.files.Invoke(context.Background(), req)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			require.Equal(t, c.want, kind(string(answer.Header)))
			require.LessOrEqual(t, (after.TotalAlloc-before.TotalAlloc)>>20, c.most)
			have, err := os.ReadFile(f)
			require.NoError(t, err)
			require.Equal(t, "text\n", string(have))
		})
	}
	for _, op := range []string{"read", "list", "stat", "realpath"} {
		answer, err := b.files.Invoke(context.Background(), &abi.Frame{Header: []byte(`{"op":"` + op + `"}`), Attachments: [][]byte{[]byte("/" + big)}})
		require.NoError(t, err)
		require.Equal(t, "os: File name too long", kind(string(answer.Header)), op)
	}
}

// TestF13Files: a file of 1 TiB over the service: what it is can be asked, what is
// in it is over the limit.
func TestF13Files(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	f := b.put(t, "f", "")
	if err := os.Truncate(f, 1<<40); err != nil {
		t.Skip("this file system has no files of that size:", err)
	}
	h, _ := ask(t, b.files, `{"op":"stat"}`, f)
	require.Contains(t, h, `"size":1099511627776`)
	_, as := ask(t, b.files, `{"op":"list"}`, b.dir)
	entries, err := abi.DecodeEntries([]byte(as[0]))
	require.NoError(t, err)
	require.Equal(t, []int64{1 << 40}, []int64{entries[0].Size})
	for _, request := range []string{
		`{"op":"read"}`, `{"op":"read","decode":true}`, `{"op":"read","max":9223372036854775807}`,
		`{"op":"apply","changes":[{"op":"put","path":0,"data":0}]}`,
		`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,0,0]]}]}`,
		`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,0,0]],"max":9223372036854775807}]}`,
	} {
		h, _ := ask(t, b.files, request, f)
		require.Contains(t, h, `"kind":"too_large"`, request)
		require.Contains(t, h, `"size":1099511627776`, request)
	}
}

// TestF13List: a directory with more entries than the call may list.
func TestF13List(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	for i := range 5 {
		b.put(t, fmt.Sprint(i), "")
	}
	b.limits.ListEntries = 4
	for _, request := range []string{`{"op":"list"}`, `{"op":"list","max":1000}`, `{"op":"list","max":9223372036854775807}`, `{"op":"list","max":-1}`, `{"op":"list","max":3}`} {
		h, as := ask(t, b.files, request, b.dir)
		require.Equal(t, "invalid: list "+b.dir+": too many entries in the directory", kind(h), request)
		require.Empty(t, as)
	}
	b.limits.ListEntries = 5
	h, _ := ask(t, b.files, `{"op":"list"}`, b.dir)
	require.JSONEq(t, `{"count":5}`, h)
}

// TestF13ReadStops: a read and a listing end with the call.
func TestF13ReadStops(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	f := b.put(t, "f", string(bytes.Repeat([]byte("\xcf\xf0\xe8\xe2\xe5\xf2\n"), 1<<18)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, request := range []string{`{"op":"read"}`, `{"op":"read","decode":true}`, `{"op":"list"}`} {
		path := f
		if request == `{"op":"list"}` {
			path = b.dir
		}
		_, err := b.files.Invoke(ctx, &abi.Frame{Header: []byte(request), Attachments: [][]byte{[]byte(path)}})
		require.Equal(t, context.Canceled, err, request)
	}
	require.Equal(t, maxState, session.MaxState/4096, "as many as a session keeps")
}

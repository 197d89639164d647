package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestWriteObservation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   abi.Result
		want string
		text string
	}{
		{"empty", abi.Result{}, `{"content":[],"is_error":false}`, ""},
		{"texts, fields in order", abi.Result{
			IsError: true,
			Content: []abi.Part{{Text: "a\"\\\n\r\t\b\f\x01\x7f<&>é😀\u2028\u2029\xff"}, {Text: "b"}, {Text: "\u0080\u009b\u009f\u00a0"}},
			Fields: []abi.Field{
				{Name: "z", Value: abi.JSON("{\n \"a\": [1, 2.50]\r}")}, {Name: "a\"", Text: []byte("t\xfe")}, {Name: "n", Value: abi.JSON("null")},
				{Name: "e"}, {Name: "bad", Value: abi.JSON("\"\xff\"")},
				{Name: "bidi\u202e", Text: []byte("\u061c\u200d\u200e\u200f\u2010\u2029\u202a\u202e\u202f\u2065\u2066\u2069\u206a")},
				{Name: "raw", Value: abi.JSON("{\"\x7f\":\"\\u007f\u009b31m\u2028\u202e\u2067é\"}")},
			},
		}, `{"content":[{"type":"text","text":"a\"\\\n\r\t\b\f\u0001\u007f<&>é😀\u2028\u2029\ufffd"},{"type":"text","text":"b"},{"type":"text","text":"\u0080\u009b\u009f` + "\u00a0" + `"}],"is_error":true,` +
			`"z":{"a":[1,2.50]},"a\"":"t\ufffd","n":null,"e":"","bad":"` + "\ufffd" + `",` +
			`"bidi\u202e":"\u061c` + "\u200d" + `\u200e\u200f` + "\u2010" + `\u2029\u202a\u202e` + "\u202f\u2065" + `\u2066\u2069` + "\u206a" + `",` +
			`"raw":{"\u007f":"\u007f\u009b31m\u2028\u202e\u2067é"}}`,
			"a\"\\\n\r\t\b\f\x01\x7f<&>é😀\u2028\u2029\xffb\u0080\u009b\u009f\u00a0"},
		{"image", abi.Result{Content: []abi.Part{{Text: "see"}, {Image: []byte("png!"), MIME: "image/png"}}},
			`{"content":[{"type":"text","text":"see"},{"type":"image","image_urls":["data:image/png;base64,cG5nIQ=="]}],"is_error":false}`, "see"},
		{"empty image", abi.Result{Content: []abi.Part{{Image: []byte{}, MIME: "image/png"}}},
			`{"content":[{"type":"image","image_urls":["data:image/png;base64,"]}],"is_error":false}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			require.NoError(t, WriteObservation(&b, &tt.in))
			require.Equal(t, tt.want, b.String())
			require.True(t, json.Valid(b.Bytes()))
			require.Equal(t, tt.text, ModelText(&tt.in))
		})
	}
}

func TestWriteObservationRefuses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"content": `field "content": the name is taken`, "is_error": `field "is_error": the name is taken`, "x": `field "x": the name is taken`,
	} {
		var b bytes.Buffer
		require.EqualError(t, WriteObservation(&b, &abi.Result{Fields: []abi.Field{{Name: "x"}, {Name: name}}}), want)
		require.Empty(t, b.Bytes())
	}
	var b bytes.Buffer
	require.EqualError(t, WriteObservation(&b, &abi.Result{Fields: []abi.Field{{Name: "x", Value: abi.JSON("{")}}}), `field "x": its value is not JSON`)
	require.Empty(t, b.Bytes())
}

type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestWriteObservationStopsAtTheFirstError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10*pieceSize)
	r := &abi.Result{Content: []abi.Part{{Text: long}, {Image: []byte(long)}}, Fields: []abi.Field{{Name: "f", Text: []byte(long)}, {Name: "v", Value: abi.JSON(`"` + long + `"`)}}}
	for n := range 5 {
		w := &failing{n}
		require.EqualError(t, WriteObservation(w, r), "disk full")
		require.Equal(t, -1, w.n, "nothing is written after an error")
	}
}

// TestWriteObservationStreams: long texts and images are not in memory a second
// time.
func TestWriteObservationStreams(t *testing.T) {
	long := []byte(strings.Repeat("é\n", 4<<20))
	r := &abi.Result{Content: []abi.Part{{Image: long}}, Fields: []abi.Field{{Name: "f", Text: long}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, WriteObservation(io.Discard, r))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// FuzzText compares with encoding/json, also over the edges of pieces, but for
// what is escaped beyond that.
func FuzzText(f *testing.F) {
	f.Add("a\"\\\n\x00é\u2028😀", uint16(0))
	f.Add("😀😀", uint16(3))
	f.Add("\xf0\x9f\x98", uint16(pieceSize-2))
	f.Add("\x7f\u009b\u202e", uint16(pieceSize-2))
	f.Add("😘\x9f\x98\x80", uint16(pieceSize-6)) // stray bytes after a character, at the edge
	f.Fuzz(func(t *testing.T, s string, pad uint16) {
		s = strings.Repeat("x", int(pad)) + s
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(s))
		want := strings.TrimSuffix(plain.String(), "\n")
		for r := range rune(0x3000) {
			if escapes(r) {
				want = strings.ReplaceAll(want, string(r), fmt.Sprintf(`\u%04x`, r))
			}
		}
		var got bytes.Buffer
		require.NoError(t, WriteObservation(&got, &abi.Result{Fields: []abi.Field{{Name: "s", Text: []byte(s)}}}))
		require.Equal(t, `{"content":[],"is_error":false,"s":`+want+"}", got.String())
		require.True(t, utf8.Valid(got.Bytes()))
		require.Equal(t, want, string(EscapeControls(bytes.TrimSuffix(plain.Bytes(), []byte("\n")))))
		require.Equal(t, want, string(AppendString(nil, s)))
	})
}

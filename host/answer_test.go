package host

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

// TestCaseSensitive: threat R9: a key in another letter case is an unknown key.
func TestCaseSensitive(t *testing.T) {
	t.Parallel()
	_, err := parseAnswer(&abi.Frame{Header: []byte(`{"RESULT":{"content":[]}}`)}, nil)
	require.EqualError(t, err, "want exactly one of result, denied, raised and keys")
	a, err := parseAnswer(&abi.Frame{Header: []byte(`{"result":{"CONTENT":[{"type":"text","text":"x"}],"is_error":true,"Is_Error":false}}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, &abi.Result{IsError: true}, a.result)
	_, err = parseDescription([]byte(`{"abi":"ohhost_v1","tools":[{"Name":"x","inputSchema":{}}]}`))
	require.EqualError(t, err, `tool name "": want 1 to 64 of the characters A-Z a-z 0-9 _ -`)
	_, err = parseDescription([]byte(`{"ABI":"ohhost_v1"}`))
	require.EqualError(t, err, `abi "": not supported (this host has ohhost_v1)`)
	name, err := serviceName([]byte(`{"service":"files","SERVICE":"state"}`))
	require.NoError(t, err)
	require.Equal(t, "files", name)
	b := newBench(t, true)
	h, _ := ask(t, b.files, `{"op":"stat","OP":"read"}`, b.dir)
	require.Contains(t, h, `"type":"dir"`)
}

// TestR9Answers: an answer that is no honest JSON or is over a cap is a fault that
// says so, and costs no more than its bytes.
func TestR9Answers(t *testing.T) {
	t.Parallel()
	image := bytes.Repeat([]byte("x"), maxImage)
	text := bytes.Repeat([]byte("x"), 40<<20)
	result := func(content, fields string) string {
		return `{"result":{"content":[` + content + `],"fields":{` + fields + `}}}`
	}
	many := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	for _, c := range []struct{ name, header, want string }{
		{"deep fields", result("", `"x":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)), "broken JSON: it is nested deeper than 64 levels"},
		{"a million deep", result("", `"x":`+strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20)), "broken JSON: it is nested deeper than 64 levels"},
		{"two results", `{"result":{"content":[]},"result":{"content":[]}}`, `broken JSON: an object has this name twice: "result"`},
		{"two of a field", result("", `"x":1,"\u0078":2`), `broken JSON: an object has this name twice: "x"`},
		{"two of a field's own", result("", `"x":{"y":1,"y":2}`), `broken JSON: an object has this name twice: "y"`},
		{"NaN", result("", `"x":NaN`), "broken JSON: invalid character 'N' looking for beginning of value"},
		{"1e999", result("", `"x":[1e999]`), "broken JSON: a number is out of range: 1e999"},
		{"a NUL", result(`{"type":"text","text":"`+"\x00"+`"}`, ""), `broken JSON: invalid character '\x00' in string literal`},
		{"an ESC", result(`{"type":"text","text":"`+"\x1b"+`"}`, ""), `broken JSON: invalid character '\x1b' in string literal`},
		{"a huge array", result("", `"x":[`+many("0", 1<<20)+"]"), "broken JSON: it has more than 1048576 values"},
		{"many parts", result(many("{}", 500_000), ""), "content has 500000 parts, at most 64 are read"},
		{"long JSON", result("", `"x":"`+strings.Repeat("x", maxAnswerJSON)+`"`), "its JSON has 16777259 bytes, at most 16777216 are read; put long texts into attachments"},
		{"a large image", result(`{"type":"image","mime":"image/png","attachment":1}`, ""), "content[0]: the image has 20971521 bytes, at most 20971520 are taken"},
		{"many images", result(many(`{"type":"image","mime":"image/png","attachment":0}`, 4), ""), "content[3]: the images have over 67108864 bytes together"},
		{"large fields", result("", `"a":{"$attachment":2},"b":{"$attachment":2}`), `field "b": the fields have over 67108864 bytes together`},
		{"the same text many times", result("", `"a":{"$blob":0},"b":{"$blob":0},"c":{"$blob":0}`), `field "b": the fields have over 67108864 bytes together`},
		{"many keys", `{"keys":[` + many(`""`, 10_001) + `]}`, "10001 keys, at most 10000 are read"},
		{"a long key", `{"keys":["","` + strings.Repeat("x", 8193) + `"]}`, "keys[1] has 8193 bytes, at most 8192 are read"},
		{"an odd type", result(`{"type":"`+strings.Repeat("x", 1000)+`"}`, ""), `content[0]: want a text with text or attachment, or an image with attachment, got type "` + strings.Repeat("x", 40) + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &abi.Frame{Header: []byte(c.header), Attachments: [][]byte{image, append(image[:len(image):len(image)], 'x'), text}}
			a, err := parseAnswer(f, func(int) ([]byte, bool) { return text, true })
			require.EqualError(t, err, c.want)
			require.Nil(t, a)
		})
	}
}

// TestR9AnswerTexts: what a text may have in it is data, and comes out as UTF-8.
func TestR9AnswerTexts(t *testing.T) {
	t.Parallel()
	f := &abi.Frame{
		Header: []byte(`{"result":{"content":[{"type":"text","text":"\u0000\u001b[31m\ud800` + "\xff" + `\u009b"},{"type":"text","attachment":0}],` +
			`"fields":{"x":["\udfff` + "\xff" + `"],"y":{"$attachment":0},"z":{"$attachment":0,"more":1},"$blob":{"$blob":"x","y":2}}}}`),
		Attachments: [][]byte{[]byte("\x00\x1b[2J\xff\xed\xa0\x80.")},
	}
	a, err := parseAnswer(f, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"\x00\x1b[31m\uFFFD\uFFFD\u009b", "\x00\x1b[2J\uFFFD."}, []string{string(a.texts[0]), string(a.texts[1])})
	require.Equal(t, []abi.Field{
		{Name: "x", Value: abi.JSON(`["\ufffd` + "\uFFFD" + `"]`)},
		{Name: "y", Text: []byte("\x00\x1b[2J\uFFFD.")},
		{Name: "z", Value: abi.JSON(`{"$attachment":0,"more":1}`)},
		{Name: "$blob", Value: abi.JSON(`{"$blob":"x","y":2}`)},
	}, a.result.Fields)
}

// TestR9Messages: the text of an error is cut at a character, and says so.
func TestR9Messages(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("日", 30_000)
	want := long[:65535] + "\n[The message is cut here: these are 65535 of 90000 bytes.]"
	a, err := parseAnswer(&abi.Frame{Header: []byte(`{"raised":{"message":"` + long + `"}}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, want, a.raised.Message)
	a, err = parseAnswer(&abi.Frame{Header: []byte(`{"denied":{"path":"` + long + `","why":"` + long + `"}}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, &deniedAnswer{Path: want, Why: want}, a.denied)
	a, err = parseAnswer(&abi.Frame{Header: []byte(`{"raised":{"message":"` + long[:65535] + `"}}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, long[:65535], a.raised.Message)
}

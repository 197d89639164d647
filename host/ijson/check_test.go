package ijson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/ijson"
)

// nested is an array in an array, n levels.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// numbered is an object with n names.
func numbered(n int, more string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"%d":0,`, i)
	}
	return b.String() + more + "}"
}

// TestR9Check: what a guest may write as JSON, and what is said of the rest.
func TestR9Check(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("9", 400)
	for _, c := range []struct{ name, text, want string }{
		{"values", ` {"a" : [1, -2.5e3 ,true,false,null,"x",{}] , "b":{"a":1}} `, ""},
		{"a text", `"x"`, ""},
		{"escapes", `["\"","\\","\\\"","\u0000","\u001b","\ud83d\ude00","\uD83D\uDE00"]`, ""},
		{"controls as escapes", `"\u0000\u001b[31m"`, ""},
		{"U+FFFD itself", `["\ufffd","` + "\uFFFD" + `"]`, ""},
		{"64 levels", nested(64), ""},
		{"64 levels of objects", strings.Repeat(`{"a":`, 63) + "{}" + strings.Repeat("}", 63), ""},
		{"same name in other objects", `[{"a":1},{"a":1,"b":{"a":1}}]`, ""},
		{"names that differ in case", `{"a":1,"A":2}`, ""},
		{"many names", numbered(1000, `"x":1`), ""},
		{"largest number", `[1.7976931348623157e308,-1.7976931348623157e308,1e-400]`, ""},

		{"nothing", ``, "unexpected end of JSON input"},
		{"cut short", `{"a":[1,2`, "unexpected end of JSON input"},
		{"two values", `{} {}`, "invalid character '{' after top-level value"},
		{"no value", `{"a":}`, "invalid character '}' looking for beginning of value"},
		{"NaN", `[NaN]`, "invalid character 'N' looking for beginning of value"},
		{"Infinity", `-Infinity`, "invalid character 'I' in numeric literal"},
		{"byte order mark", "\uFEFF{}", "invalid character 'ï' looking for beginning of value"},
		{"a NUL", "\"\x00\"", `invalid character '\x00' in string literal`},
		{"an ESC", "\"\x1b[31m\"", `invalid character '\x1b' in string literal`},
		{"bytes", "\"a\xff\"", "it is not UTF-8"},
		{"overlong", "\"\xc0\xaf\"", "it is not UTF-8"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "it is not UTF-8"},
		{"65 levels", nested(65), "it is nested deeper than 64 levels"},
		{"a million levels", nested(1 << 20), "it is nested deeper than 64 levels"},
		{"a million levels, open", strings.Repeat("[", 1<<20), "it is nested deeper than 64 levels"},
		{"a million levels of objects", strings.Repeat(`{"a":`, 1<<20), "it is nested deeper than 64 levels"},
		{"twice", `{"a":1,"b":2,"a":1}`, `an object has this name twice: "a"`},
		{"twice, one escaped", `{"op":1,"\u006fp":2}`, `an object has this name twice: "op"`},
		{"twice, deep", `[{"x":[{"\n":1,"\u000a":1}]}]`, `an object has this name twice: "\n"`},
		{"twice of many", numbered(1000, `"999":1`), `an object has this name twice: "999"`},
		{"twice, long", `{"` + big + `":1,"` + big + `":2}`, `an object has this name twice: "` + big[:60] + `"`},
		{"number of too many digits", big, "a number is out of range: " + big[:40]},
		{"number too large", `{"a":1e999}`, "a number is out of range: 1e999"},
		{"number too small", `-1E+999`, "a number is out of range: -1E+999"},
		{"half a pair, first", `"\ud800"`, `it has a \u escape of half a surrogate pair`},
		{"half a pair, second", `"\udc00\ud800"`, `it has a \u escape of half a surrogate pair`},
		{"half a pair, twice", `"\ud83d\ud83d\ude00"`, `it has a \u escape of half a surrogate pair`},
		{"half a pair in a name", `{"\uDBFFx":1}`, `it has a \u escape of half a surrogate pair`},
		{"too many values", "[" + strings.Repeat("0,", 1<<20) + "0]", "it has more than 1048576 values"},
		{"too many arrays", "[" + strings.Repeat("[],", 1<<20) + "[]]", "it has more than 1048576 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := ijson.Check([]byte(c.text))
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

// TestR9Mend: a flawed text is shown all the same, one with another fault is not.
func TestR9Mend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`{"a":["x\ud83d\ude00"]}`, `{"a":["x\ud83d\ude00"]}`},
		{"{\"a\":\"x\xffy\"}", "{\"a\":\"x\uFFFDy\"}"},
		{`["\ud800","\\ud800","\ud83d\ud83d\ude00\udc00x"]`, `["\ufffd","\\ud800","\ufffd\ud83d\ude00\ufffdx"]`},
		{"{\"\\ud800\":\"\xff\"}", "{\"\\ufffd\":\"\uFFFD\"}"},
	} {
		text := []byte(c.text)
		got, err := ijson.Mend(text)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got))
		require.Equal(t, c.text, string(text), "the guest's own bytes stay")
	}
	_, err := ijson.Mend([]byte("{\"a\xfe\":1,\"a\\ud800\":1}"))
	require.EqualError(t, err, "an object has this name twice: \"a\uFFFD\"", "names that were mended are compared")
	_, err = ijson.Mend([]byte("[\"\xff\""))
	require.EqualError(t, err, "unexpected end of JSON input")
}

// FuzzCheck compares with encoding/json: nothing is taken that it refuses, what is
// taken has the same value when it is walked, and what was mended is taken.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x",{}],"b":{"a":1}}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `[1e999]`, "\"\xff\"",
		nested(65), ` [ ] `, `{"":{"":[{"":"\\\""}]}}`, `0`, `"\\"`, strings.Repeat("[", 100),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		mended, err := ijson.Mend(text)
		if err == nil {
			require.NoError(t, ijson.Check(mended))
		}
		if err = ijson.Check(text); err != nil {
			return
		}
		require.True(t, json.Valid(text))
		require.Equal(t, string(text), string(mended))
		var want any
		require.NoError(t, json.Unmarshal(text, &want))
		require.Equal(t, want, walked(t, text))
	})
}

// walked is json.Unmarshal over Members and Elements.
func walked(t *testing.T, text []byte) any {
	switch strings.TrimLeft(string(text), " \t\r\n")[0] {
	case '{':
		object := map[string]any{}
		for name, value := range ijson.Members(text) {
			object[name] = walked(t, value)
		}
		return object
	case '[':
		array := []any{}
		for value := range ijson.Elements(text) {
			array = append(array, walked(t, value))
		}
		return array
	}
	var v any
	require.NoError(t, json.Unmarshal(text, &v))
	return v
}

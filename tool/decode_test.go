package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeObject(t *testing.T) {
	t.Parallel()
	got, err := DecodeObject([]byte(" {\"a\": [1, -0.50e+3, true, false, null, {}, []],\r\n\t\"A\": \"\\u00e9\\ud83d\\ude00\\n\\/\", \"a\\u0000\": 12345678901234567890123} "))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"a":     []any{json.Number("1"), json.Number("-0.50e+3"), true, false, nil, map[string]any{}, []any{}},
		"A":     "é😀\n/",
		"a\x00": json.Number("12345678901234567890123"),
	}, got)

	got, err = DecodeObject([]byte(`{"a": 1, "a": 2}`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": json.Number("2")}, got, "the last one counts")
}

func TestDecodeObjectErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"empty", "", "line 1, column 1: unexpected end of the text, want a JSON value"},
		{"blank", " \n ", "line 2, column 2: unexpected end of the text, want a JSON value"},
		{"no object", " [1]", "line 1, column 2: want a JSON object"},
		{"cut", `{"a": `, "line 1, column 7: unexpected end of the text, want a JSON value"},
		{"missing comma", "{\n  \"é\": 1 \"b\": 2}", "line 2, column 10: unexpected character '\"', want ',' or '}'"},
		{"trailing comma", `{"a": 1,}`, `line 1, column 9: unexpected character '}', want a name in double quotes`},
		{"trailing comma in array", `{"a": [1,]}`, `line 1, column 10: unexpected character ']', want a JSON value`},
		{"array not closed", `{"a": [1`, `line 1, column 9: unexpected end of the text, want ',' or ']'`},
		{"no colon", `{"a" 1}`, `line 1, column 6: unexpected character '1', want ':'`},
		{"single quotes", `{'a': 1}`, `line 1, column 2: unexpected character '\'', want a name in double quotes`},
		{"text after", `{} x`, `line 1, column 4: unexpected character 'x' after the JSON value`},
		{"python", `{"a": True}`, `line 1, column 7: unexpected character 'T', want a JSON value`},
		{"half a word", `{"a": tru}`, `line 1, column 7: unexpected character 't', want a JSON value`},
		{"nan", `{"a": NaN}`, `line 1, column 7: unexpected character 'N', want a JSON value`},
		{"leading zero", `{"a": 01}`, `line 1, column 8: unexpected character '1', want ',' or '}'`},
		{"minus alone", `{"a": -}`, `line 1, column 8: unexpected character '}', want a digit`},
		{"point alone", `{"a": 1.}`, `line 1, column 8: unexpected character '.', want ',' or '}'`},
		{"raw newline", "{\"a\": \"x\ny\"}", `line 1, column 9: a raw character '\n' in a string, write it as an escape`},
		{"bad escape", `{"a": "\x"}`, `line 1, column 8: an unknown escape in a string`},
		{"bad unicode escape", `{"a": "\u12g4"}`, `line 1, column 8: an unknown escape in a string`},
		{"string not closed", `{"a": "x`, `line 1, column 9: unexpected end of the text in a string`},
		{"escape at the end", `{"a": "\`, `line 1, column 8: an unknown escape in a string`},
		{"not utf-8", "{\"a\": \"x\xffy\"}", `line 1, column 9: a byte that is not UTF-8`},
		{"not utf-8 before an escape", "{\"a\": \"\xff\\n\"}", `line 1, column 8: a byte that is not UTF-8`},
		{"not utf-8 outside", "{\xff}", `line 1, column 2: unexpected byte 0xff, want a name in double quotes`},
		{"lone surrogate", `{"a": "x\ud800y"}`, `line 1, column 9: half of a surrogate pair`},
		{"swapped surrogates", `{"a": "\ude00\ud83d"}`, `line 1, column 8: half of a surrogate pair`},
		{"surrogate in a name", `{"\udc00": 1}`, `line 1, column 3: half of a surrogate pair`},
		{"too deep", `{"a":` + strings.Repeat("[", 512), `line 1, column 517: more than 512 arrays and objects inside each other`},
		{"huge exponent", `{"a": 1e999999999}`, `line 1, column 7: a number of more than 4300 digits`},
		{"tiny exponent", `{"a": 1e-4301}`, `line 1, column 7: a number of more than 4300 digits`},
		{"endless digits", `{"a": ` + strings.Repeat("9", 4301) + `}`, `line 1, column 7: a number of more than 4300 digits`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := DecodeObject([]byte(tt.in))
			require.EqualError(t, err, tt.want)
			require.Nil(t, got)
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
		})
	}
}

func TestDecodeTooLong(t *testing.T) {
	t.Parallel()
	_, err := DecodeObject(append(bytes.Repeat([]byte(" "), MaxArguments-1), "{}"...))
	require.EqualError(t, err, "line 1, column 1: the text has 67108865 bytes, over the limit of 67108864")
}

// FuzzDecode compares with encoding/json: what is read must be read alike, and
// what it refuses must be refused.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e3,"x\u00e9\ud83d\ude00",null,true]}`, `{"a":"\ud800"}`, `[01]`, `{"a":1,"a":2}`, "{\"\xff\":1}", `"\u12"`, ` -0 `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		d := decoder{data: in}
		got, err := d.document()
		dec := json.NewDecoder(bytes.NewReader(in))
		dec.UseNumber()
		var want any
		wantErr := dec.Decode(&want)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Positive(t, syntax.Line)
			require.Positive(t, syntax.Column)
			return
		}
		require.NoError(t, wantErr)
		out := appendJSON(nil, got)
		require.True(t, json.Valid(out))
		again := decoder{data: out}
		v, err := again.document()
		require.NoError(t, err)
		require.Equal(t, out, appendJSON(nil, v))
		if !d.broken {
			require.Equal(t, want, v)
		}
	})
}

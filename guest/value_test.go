package guest

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree turns a Value into what encoding/json decodes with UseNumber, through the
// same methods that plugins use.
func tree(v Value) any {
	switch v.Kind() {
	case KindNull:
		return nil
	case KindBool:
		b, _ := v.Bool()
		return b
	case KindNumber:
		return json.Number(v.Raw())
	case KindString:
		s, _ := v.Str()
		return s
	case KindArray:
		items := []any{}
		for item := range v.Items() {
			items = append(items, tree(item))
		}
		return items
	}
	o, _ := v.Object()
	members := map[string]any{}
	for key := range o.All() {
		members[key] = tree(o.Get(key))
	}
	return members
}

func depth(b []byte) int {
	deepest, open, inString := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			open++
			deepest = max(deepest, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return deepest
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x"],"a":{"b":"\u00e9\ud83d\ude00\ud800\\\"\/\b\f\n\r\t"}}`,
		" [ ] ", "{ }", `"\ud800\u0041"`, `"\ude00\ud83d"`, "\"\xff\xe2\x80\"", `[1,]`, `{"a" 1}`, `01`, `-`, `1.`, `1e`, "\"\n\"", `"\x"`, `"\u12g4"`, "nul",
		`{"":""}`, `[[[]],{"x":[{}]}]`, `"` + strings.Repeat(`\`, 8) + `"`, `{"a\"b":"c\\"}`, "1 2", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if depth(b) > MaxDepth {
			t.Skip("deeper than Parse goes")
		}
		kept := bytes.Clone(b)
		v, err := Parse(b)
		require.Equal(t, json.Valid(b), err == nil, "%q: %v", b, err)
		if err != nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var want any
		require.NoError(t, d.Decode(&want))
		require.Equal(t, want, tree(v))
		require.Equal(t, kept, b, "the input was written to")
	})
}

func TestParseDepth(t *testing.T) {
	t.Parallel()
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	_, err := Parse(nest(MaxDepth))
	require.NoError(t, err)
	_, err = Parse(nest(MaxDepth + 1))
	require.ErrorIs(t, err, ErrJSONDepth)
	_, err = Parse([]byte(strings.Repeat(`{"a":`, 1_000_000)))
	require.ErrorIs(t, err, ErrJSONDepth)
}

func TestParseDoesNotCopy(t *testing.T) {
	text := []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `","b":[` + strings.Repeat("0,", 1<<20) + `0]}`)
	allocs := testing.AllocsPerRun(5, func() {
		v, err := Parse(text)
		require.NoError(t, err)
		o, ok := v.Object()
		require.True(t, ok)
		s, ok := o.Str("a")
		require.True(t, ok)
		require.Len(t, s, 1<<20)
	})
	require.LessOrEqual(t, allocs, float64(12), "strings and arrays must not be built")
}

func TestInt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		json string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"-0.0e9", 0, true}, {"1", 1, true}, {"-17", -17, true},
		{"1.0", 1, true}, {"2.50e1", 25, true}, {"1e2", 100, true}, {"1E+2", 100, true}, {"120e-1", 12, true}, {"100.00e-2", 1, true},
		{"1.5", 0, false}, {"1e-1", 0, false}, {"12e-1", 0, false},
		{"9223372036854775807", math.MaxInt64, true}, {"9223372036854775808", math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true}, {"-9223372036854775809", math.MinInt64, true},
		{"99999999999999999999", math.MaxInt64, true}, {"-1e400", math.MinInt64, true},
		{"0e99999999999999999999999", 0, true}, {"1e-99999999999999999999999", 0, false}, {"1e99999999999999999999999", math.MaxInt64, true},
		{`"1"`, 0, false}, {"true", 0, false}, {"null", 0, false}, {"[1]", 0, false},
	} {
		v, err := Parse([]byte(tt.json))
		require.NoError(t, err, tt.json)
		n, ok := v.Int()
		require.Equal(t, tt.ok, ok, tt.json)
		require.Equal(t, tt.want, n, tt.json)
	}
}

func TestValueOfAnotherKind(t *testing.T) {
	t.Parallel()
	var none Value
	require.Equal(t, KindNone, none.Kind())
	for _, v := range []Value{none, {raw: "null"}, {raw: "1"}} {
		_, ok := v.Str()
		require.False(t, ok)
		_, ok = v.Bool()
		require.False(t, ok)
		_, ok = v.Object()
		require.False(t, ok)
		for range v.Items() {
			t.Fatal("items of what is no array")
		}
	}
	o, ok := Value{raw: `{"a":1,"a":2}`}.Object()
	require.True(t, ok)
	require.Equal(t, 2, o.Len())
	n, ok := o.Int("a")
	require.True(t, ok)
	require.Equal(t, int64(2), n)
	require.Equal(t, none, o.Get("b"))
	for v := range (Value{raw: "[1,2]"}).Items() {
		require.Equal(t, "1", v.Raw())
		break // must be allowed
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "q\"b\\s/", "\x00\x1f\x7f\n\r\t", "é\u2028😀", "\xff\xe2\x80", "a\xc3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendString([]byte("x"), s)
		var got string
		require.NoError(t, json.Unmarshal(b[1:], &got), "%q", b)
		require.Equal(t, string([]rune(s)), got)
		v, err := Parse(b[1:])
		require.NoError(t, err)
		own, ok := v.Str()
		require.True(t, ok)
		require.Equal(t, got, own)
	})
}

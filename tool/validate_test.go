package tool

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

// TestRepair is case FE-33 and the schema paragraphs of spec/tools.md.
func TestRepair(t *testing.T) {
	t.Parallel()
	head := `{"command":"view",`
	tests := []struct{ name, in, want string }{
		{"nothing to do", `{ "path" : "/w" , "command" : "view" }`, `{"command":"view","path":"/w"}`},
		{"null optional", head + `"path":"/","old_str":null,"insert_line":null,"view_range":null}`, head + `"path":"/"}`},
		{"null allowed by the schema", head + `"limit":null,"path":"/"}`, head + `"limit":null,"path":"/"}`},
		{"empty range", head + `"path":"/","view_range":[]}`, head + `"path":"/"}`},
		{"empty range as text", head + `"path":"/","view_range":" [] "}`, head + `"path":"/"}`},
		{"empty array that may be empty", head + `"path":"/","words":[]}`, head + `"path":"/","words":[]}`},
		{"integer as text", head + `"insert_line":"1","path":"/"}`, head + `"insert_line":1,"path":"/"}`},
		{"integer as text, pydantic's forms", head + `"insert_line":" +1_000.00\n","path":"/"}`, head + `"insert_line":1000,"path":"/"}`},
		{"zeros", head + `"insert_line":"-000","path":"/"}`, head + `"insert_line":0,"path":"/"}`},
		{"minus zero", head + `"insert_line":-0,"path":"/"}`, head + `"insert_line":0,"path":"/"}`},
		{"whole float", head + `"insert_line":1.0,"path":"/"}`, head + `"insert_line":1,"path":"/"}`},
		{"exponent", head + `"insert_line":1e0,"path":"/"}`, head + `"insert_line":1,"path":"/"}`},
		{"large exponent", head + `"insert_line":12.5E2,"path":"/"}`, head + `"insert_line":1250,"path":"/"}`},
		{"large integer keeps its digits", head + `"insert_line":123456789012345678901,"path":"/"}`, head + `"insert_line":123456789012345678901,"path":"/"}`},
		{"array as text", head + `"path":"/","view_range":"[1, 50]"}`, head + `"path":"/","view_range":[1,50]}`},
		{"items as text", head + `"path":"/","view_range":["1","-1"]}`, head + `"path":"/","view_range":[1,-1]}`},
		{"items as floats in text", head + `"path":"/","view_range":"[\"1\", 2.0]"}`, head + `"path":"/","view_range":[1,2]}`},
		{"chunks", head + `"old_str":["a","b\n",""],"path":"/"}`, head + `"old_str":"ab\n","path":"/"}`},
		{"text that looks like an array", head + `"old_str":"[1]","path":"/"}`, head + `"old_str":"[1]","path":"/"}`},
		{"number keeps its text", head + `"path":"/","timeout":1.50}`, head + `"path":"/","timeout":1.50}`},
		{"number as text", head + `"path":"/","timeout":"2.5"}`, head + `"path":"/","timeout":2.5}`},
		{"number as text, Python's form", head + `"path":"/","timeout":".5"}`, head + `"path":"/","timeout":0.5}`},
		{"true for a number", head + `"path":"/","timeout":true}`, head + `"path":"/","timeout":1.0}`},
		{"false for a number", head + `"path":"/","timeout":false}`, head + `"path":"/","timeout":0.0}`},
		{"boolean as word", head + `"path":"/","reset":"YES"}`, head + `"path":"/","reset":true}`},
		{"boolean as word off", head + `"path":"/","reset":"Off"}`, head + `"path":"/","reset":false}`},
		{"boolean as number", head + `"path":"/","reset":1}`, head + `"path":"/","reset":true}`},
		{"boolean as float", head + `"path":"/","reset":0.0}`, head + `"path":"/","reset":false}`},
		{"integer or null as text", head + `"limit":"3","path":"/"}`, head + `"limit":3,"path":"/"}`},
		{"object as text, below a reference", head + `"options":"{\"depth\":\"2\",\"next\":{\"depth\":3.0,\"next\":null}}","path":"/"}`,
			head + `"options":{"depth":2,"next":{"depth":3}},"path":"/"}`},
		{"all arguments as text", `"{\"command\":\"view\",\"path\":\"/\"}"`, head + `"path":"/"}`},
		{"last of a repeated name", head + `"path":"/a","path":"/b"}`, head + `"path":"/b"}`},
		{"surrogate pair and controls", head + `"old_str":"\ud83d\ude00\u0000\u2028<&>","path":"/"}`, head + `"old_str":"😀\u0000\u2028<&>","path":"/"}`},
	}
	sc, err := compileSchema(specOf("edit", editorSchema))
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := sc.arguments("edit", []byte(tt.in))
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			again, err := sc.arguments("edit", got)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(again))
		})
	}
}

func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	head := `{"command":"view","path":"/",`
	tests := []struct{ name, in, want string }{
		{"nothing", ``, "arguments: want a JSON object, but line 1, column 1: unexpected end of the text, want a JSON value"},
		{"no object", `[1,"a",[2],{"b":3}]`, `arguments: a JSON object, got [1,"a",[…],{…}]`},
		{"null", `null`, `arguments: a JSON object, got null`},
		{"both missing", `{}`, "command: required; path: required"},
		{"null for a required field", `{"command":"view","path":null}`, "path: a string, got null"},
		{"null for a field with a default", head + `"reset":null}`, "reset: true or false, got null"},
		{"unknown fields last", `{"zeta":1,"alpha":{"x":1},"command":"view"}`, "path: required; alpha: no such field; zeta: no such field"},
		{"letter case of a name", `{"Command":"view","path":"/"}`, "command: required; Command: no such field"},
		{"enum", `{"command":"View","path":"/"}`, `command: one of view, create, got "View"`},
		{"string is a number", `{"command":"view","path":7}`, "path: a string, got 7"},
		{"string is an object", head + `"old_str":{"a":1}}`, "old_str: a string, got an object"},
		{"not to be joined", `{"command":"view","path":["/","w"]}`, `path: a string, got ["/","w"]`},
		{"chunks that are no text", head + `"old_str":["a",1]}`, `old_str: a string, got ["a",1]`},
		{"no chunks", head + `"old_str":[]}`, `old_str: a string, got []`},
		{"fraction", head + `"insert_line":1.5}`, "insert_line: an integer >= 0, got 1.5"},
		{"fraction as text", head + `"insert_line":"1.5"}`, `insert_line: an integer >= 0, got "1.5"`},
		{"underscores out of place", head + `"insert_line":"1__0"}`, `insert_line: an integer >= 0, got "1__0"`},
		{"boolean for an integer", head + `"insert_line":true}`, "insert_line: an integer >= 0, got true"},
		{"out of range", head + `"insert_line":-1}`, "insert_line: an integer >= 0, got -1"},
		{"out of range as text", head + `"insert_line":"-1"}`, "insert_line: an integer >= 0, got -1"},
		{"exponent beyond 64 bits as text", head + `"insert_line":"1e30"}`, `insert_line: an integer >= 0, got "1e30"`},
		{"number out of range", head + `"timeout":-0.5}`, "timeout: a number >= 0, got -0.5"},
		{"number as word", head + `"timeout":"soon"}`, `timeout: a number >= 0, got "soon"`},
		{"no finite number", head + `"timeout":"inf"}`, `timeout: a number >= 0, got "inf"`},
		{"hexadecimal", head + `"timeout":"0x10p0"}`, `timeout: a number >= 0, got "0x10p0"`},
		{"boolean as another word", head + `"reset":"maybe"}`, `reset: true or false, got "maybe"`},
		{"boolean as another number", head + `"reset":2}`, `reset: true or false, got 2`},
		{"null item", head + `"view_range":[1,null]}`, "view_range[1]: an integer, got null"},
		{"number for an array", head + `"view_range":1}`, "view_range: an array of integers, got 1"},
		{"junk after the array", head + `"view_range":"[1,2]extra"}`, `view_range: an array of integers, got "[1,2]extra"`},
		{"array cut short", head + `"view_range":"[1,2"}`, `view_range: an array of integers, got "[1,2"`},
		{"items of another type", head + `"view_range":"[1,\"a\",2.5]"}`, `view_range[1]: an integer, got "a"; view_range[2]: an integer, got 2.5`},
		{"integer or null", head + `"limit":"x"}`, `limit: an integer or null, got "x"`},
		{"below a reference", head + `"options":{"next":{"depth":"x","y":1}}}`, `options.next.depth: an integer, got "x"; options.next.y: no such field`},
		{"lone surrogate", `{"command":"view","path":"/\ud800","words":["a","\udc00b"]}`,
			`path: text without half of a surrogate pair, got "/�"; words[1]: text without half of a surrogate pair, got "�b"`},
		{"lone surrogate in an unknown field", head + `"x":"\ud800"}`, `x: text without half of a surrogate pair, got "�"`},
		{"lone surrogate in a text", head + `"view_range":"[\"\\ud800\"]"}`, `view_range: an array of integers, got "[\"\\ud800\"]"`},
		{"broken JSON", "{\n\"command\": view}", "arguments: want a JSON object, but line 2, column 12: unexpected character 'v', want a JSON value"},
		{"too deep", head + `"x":` + strings.Repeat("[", 1_000_000), "arguments: want a JSON object, but line 1, column 545: more than 512 arrays and objects inside each other"},
		{"too deep in a text", head + `"options":"` + strings.Repeat(`{\"next\":`, 600) + strings.Repeat("}", 600) + `"}`,
			`options: an object, got "` + strings.Repeat(`{\"next\":`, 5) + `{\"next\"…`},
		{"long value", head + `"insert_line":"` + strings.Repeat("é", 100_000) + `"}`, `insert_line: an integer >= 0, got "` + strings.Repeat("é", 59) + "…"},
		{"name with a newline", head + `"a\nb":1}`, `a\nb: no such field`},
	}
	sc, err := compileSchema(specOf("edit", editorSchema))
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := sc.arguments("edit", []byte(tt.in))
			require.EqualError(t, err, "invalid arguments for edit: "+tt.want)
			require.Equal(t, KindInvalidArgs, Kind(err))
			require.Nil(t, got)
		})
	}
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	sc, err := compileSchema(specOf("edit", editorSchema))
	require.NoError(t, err)
	_, err = sc.arguments("edit", []byte(`{"command":"view","path":"/","view_range":[`+strings.Repeat("null,", 9999)+`null]}`))
	var bad *ArgumentError
	require.ErrorAs(t, err, &bad)
	require.Len(t, bad.Problems, 21)
	require.Equal(t, ArgumentProblem{"view_range[19]", "an integer", "null"}, bad.Problems[19])
	require.Equal(t, ArgumentProblem{"…", "and 9980 more", ""}, bad.Problems[20])
}

func TestNoJoinForAllFields(t *testing.T) {
	t.Parallel()
	sc, err := compileSchema(specOf("p", `{"type":"object","x-ohhost-no-join":true,"properties":{"a":{"type":"string"},"b":{"type":"string","x-ohhost-no-join":false}}}`))
	require.NoError(t, err)
	_, err = sc.arguments("p", []byte(`{"a":["x"],"b":["y"]}`))
	require.EqualError(t, err, `invalid arguments for p: a: a string, got ["x"]`)
}

func TestClosedBeatsInputSchema(t *testing.T) {
	t.Parallel()
	spec := specOf("x", `{"type":"object"}`)
	spec.Closed = abi.JSON(`{"type":"object","additionalProperties":false}`)
	x := Validate(&fakeTool{spec: spec})
	ctx := context.Background()
	_, err := x.Call(ctx, &Call{Args: json.RawMessage(`{"a":1}`)})
	require.EqualError(t, err, "invalid arguments for x: a: no such field")
	_, err = x.Keys(ctx, &Call{Args: json.RawMessage(`{"a":1}`)})
	require.EqualError(t, err, "invalid arguments for x: a: no such field")

	call := &Call{ID: "7", DryRun: true, Args: json.RawMessage(` { } `)}
	res, err := x.Call(ctx, call)
	require.NoError(t, err)
	require.Equal(t, "{}", res.Content[0].Text)
	keys, err := x.Keys(ctx, call)
	require.NoError(t, err)
	require.Equal(t, []string{"{}"}, keys)
	require.Equal(t, &Call{ID: "7", DryRun: true, Args: json.RawMessage(` { } `)}, call, "the caller's call is left alone")
	require.Same(t, spec, x.Spec())

	open := Validate(&fakeTool{spec: &abi.Spec{Name: "open"}})
	res, err = open.Call(ctx, &Call{Args: json.RawMessage(`{"any":[null]}`)})
	require.NoError(t, err)
	require.Equal(t, `{"any":[null]}`, res.Content[0].Text)

	broken := Validate(&fakeTool{spec: specOf("broken", `{"type":5}`)})
	_, err = broken.Call(ctx, call)
	require.Equal(t, KindFault, Kind(err))
	require.ErrorContains(t, err, "broken: check arguments: input schema: ")
}

// FuzzArguments: never a panic, what passes is canonical and passes again
// unchanged.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		`{"command":"view","path":"/w","view_range":"[1, 2]"}`, `{"command":"view","path":["a","b"],"insert_line":"1e3"}`,
		`{"command":"view","path":"/","options":"{\"next\":\"{}\"}"}`, `{"command":"view","path":"/","timeout":true,"reset":"no"}`,
		`{"command":"view","path":"/","limit":1e400}`, `"{\"command\":\"create\"}"`, `{"command":"view","path":"\ud800","words":[[]]}`,
	} {
		f.Add([]byte(s))
	}
	sc, err := compileSchema(specOf("edit", editorSchema))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := sc.arguments("edit", in)
		if err != nil {
			require.Equal(t, KindInvalidArgs, Kind(err), "%v", err)
			var bad *ArgumentError
			require.ErrorAs(t, err, &bad)
			require.NotEmpty(t, bad.Problems)
			d := decoder{data: in}
			if v, err := d.document(); err == nil && !d.broken {
				once := appendJSON(nil, sc.shape.repair(v))
				d = decoder{data: once}
				v, err = d.document()
				if err == nil { // a repair may unpack a text beyond the limit of depth
					require.Equal(t, string(once), string(appendJSON(nil, sc.shape.repair(v))))
				}
			}
			return
		}
		require.True(t, json.Valid(got))
		again, err := sc.arguments("edit", got)
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
	})
}

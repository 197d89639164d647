package ijson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/ijson"
)

type inner struct {
	Splices [][]int `json:"splices"`
	To      *int    `json:"to"`
	Undo    bool    `json:"undo_new"`
}

type embedded struct {
	Changes []inner `json:"changes"`
}

type request struct {
	Op     string          `json:"op"`
	Max    int64           `json:"max,omitempty"`
	Raw    json.RawMessage `json:"raw"`
	Hidden string          `json:"-"`
	Plain  string
	embedded
}

// TestUnmarshal: it reads what encoding/json reads, but for the letter case of
// names.
func TestUnmarshal(t *testing.T) {
	t.Parallel()
	two := 2
	for text, want := range map[string]request{
		`{}`:   {},
		`null`: {},
		` { "op" : "apply" , "max" : 5 , "other" : [ {} ] , "raw" : { "x" : 1 } } `: {Op: "apply", Max: 5, Raw: json.RawMessage(`{ "x" : 1 }`)},
		`{"OP":"x","Op":"y","op":"z","-":"h","Plain":"p","":"e"}`:                   {Op: "z"},
		`{"changes":[{"to":2,"splices":[[1,2,3],[]],"undo_new":true},{"to":null}]}`: {embedded: embedded{Changes: []inner{{To: &two, Splices: [][]int{{1, 2, 3}, {}}, Undo: true}, {}}}},
		`{"changes":[]}`:       {embedded: embedded{Changes: []inner{}}},
		`{"changes":null}`:     {},
		`{"\u006fp":"\u0061"}`: {Op: "a"},
	} {
		var got request
		require.NoError(t, ijson.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		``:                                  "unexpected end of JSON input",
		`[]`:                                "want an object, got []",
		`{"op":1}`:                          "op: json: cannot unmarshal number into Go value of type string",
		`{"changes":{}}`:                    "changes: want an array, got {}",
		`{"changes":[1]}`:                   "changes: want an object, got 1",
		`{"max":1.5}`:                       "max: json: cannot unmarshal number 1.5 into Go value of type int64",
		`{"max":1e300}`:                     "max: json: cannot unmarshal number 1e300 into Go value of type int64",
		`{"op":"x","op":"x"}`:               `an object has this name twice: "op"`,
		`{"other":[{"x":1,"x":1}]}`:         `an object has this name twice: "x"`,
		`{"changes":[{"splices":[["x"]]}]}`: "changes: splices: json: cannot unmarshal string into Go value of type int",
	} {
		var got request
		require.EqualError(t, ijson.Unmarshal([]byte(text), &got), want, text)
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"a", "b\"\\", "é", "", "\x1b"},
		slices.Collect(ijson.Strings([]byte(`{"a":["b\"\\",1,{"é":""}],"\u001b":null}`))))
	require.Empty(t, slices.Collect(ijson.Strings([]byte(`1`))))
	for range ijson.Strings([]byte(`["a","b"]`)) {
		break
	}
}

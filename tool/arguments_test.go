package tool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		want         []Argument
	}{
		{"none", ``, nil},
		{"no fields", `{"type":"object"}`, []Argument{}},
		{"in order", `{"type":"object","required":["z","b"],"properties":{
			"z":{"enum":["view","create"],"description":"What to do."},
			"b":{"type":"integer","minimum":0},
			"any":{},
			"list":{"type":"array","items":{"type":"string"}},
			"maybe":{"anyOf":[{"type":"number","description":"inner"},{"type":"null"}],"description":"outer"},
			"said":{"anyOf":[{"type":"number","description":"inner"},{"type":"null"}]},
			"ref":{"$ref":"#/$defs/r"},
			"own":{"$ref":"#/$defs/r","description":"mine"}},
			"$defs":{"r":{"type":"object","description":"theirs"}}}`, []Argument{
			{"z", "one of view, create", true, "What to do."},
			{"b", "an integer >= 0", true, ""},
			{"any", "", false, ""},
			{"list", "an array of strings", false, ""},
			{"maybe", "a number or null", false, "outer"},
			{"said", "a number or null", false, "inner"},
			{"ref", "an object", false, "theirs"},
			{"own", "an object", false, "mine"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Arguments(&abi.Spec{Name: "x", InputSchema: abi.JSON(tt.schema), Closed: abi.JSON(`{"type":"object"}`)})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
	_, err := Arguments(specOf("x", `[]`))
	require.EqualError(t, err, "want a JSON object")
}

package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCompileSchemaRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type":"object"}`), 0o600))
	object := `"type":"object"`
	tests := []struct{ name, schema, want string }{
		{"no JSON", `{"type"`, "line 1, column 8: unexpected end of the text, want ':'"},
		{"no object", `true`, "want a JSON object"},
		{"no object for arguments", `{"type":"string"}`, `arguments are an object, want "type": "object"`},
		{"a file", `{` + object + `,"$ref":"file://` + file + `"}`, "is another document: references must stay inside the schema"},
		{"the network", `{` + object + `,"properties":{"a":{"$ref":"http://127.0.0.1/x"}}}`, `"http://127.0.0.1/x" is another document`},
		{"a relative reference", `{` + object + `,"properties":{"a":{"$ref":"other"}}}`, "another document"},
		{"a foreign dialect", `{` + object + `,"$schema":"https://example.com/s"}`, `"https://example.com/s" is another document`},
		{"a pointer to nothing", `{` + object + `,"$ref":"#/$defs/x"}`, "not found"},
		{"a keyword of the wrong type", `{` + object + `,"required":"a"}`, "is not valid against metaschema"},
		{"a bad pattern", `{` + object + `,"properties":{"a":{"pattern":"("}}}`, "regex"},
		{"too long", `{` + object + `,"description":"` + strings.Repeat("x", 1<<20) + `"}`, "1048610 bytes: over the limit of 1048576"},
		{"too many values", `{` + object + `,"allOf":[{}` + strings.Repeat(",{}", 5000) + `]}`, "5004 values: over the limit of 5000"},
		{"too deep", `{"not":` + strings.Repeat(`{"not":`, 64), "line 1, column 449: more than 64 arrays and objects inside each other"},
		{"too many ways", manyWays(20), "takes too long to check: too many alternatives inside each other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := compileSchema(specOf("x", tt.schema))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

// manyWays is a schema that looks at a value 2^n times.
func manyWays(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{}}}`, n)
	return b.String()
}

// TestDepthOfOddSchemas: a schema whose cost doubles with each level is usable,
// but not for deep arguments; one that merely refers to itself is not limited.
func TestDepthOfOddSchemas(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		depth        int
	}{
		{"flat", editorSchema, maxDepth},
		{"a tree", `{"type":"object","properties":{"l":{"$ref":"#"},"r":{"$ref":"#"},"all":{"items":{"$ref":"#"}}}}`, maxDepth},
		{"doubling", `{"type":"object","anyOf":[{"properties":{"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}}}]}`, 14},
		{"a circle in one place", `{"type":"object","allOf":[{"$ref":"#"}]}`, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sc, err := compileSchema(specOf("x", tt.schema))
			if tt.depth < 0 {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.depth, sc.depth)
			if tt.depth < maxDepth {
				_, err = sc.arguments("x", []byte(strings.Repeat(`{"x":`, 40)+"1"+strings.Repeat("}", 40)))
				require.ErrorContains(t, err, "more than 15 arrays and objects inside each other")
				_, err = sc.arguments("x", []byte(strings.Repeat(`{"x":`, 15)+"{}"+strings.Repeat("}", 15)))
				require.ErrorContains(t, err, "more than 15 arrays and objects inside each other")
			}
		})
	}
}

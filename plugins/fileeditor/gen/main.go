// Gen writes spec.json, what file_editor publishes of itself: it turns the types
// of package schema into JSON Schema. Run it by go generate ./plugins/fileeditor.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/plugins/fileeditor/schema"
)

func main() {
	spec, err := generate()
	if err == nil {
		err = os.WriteFile("spec.json", spec, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generate returns the text of spec.json.
func generate() ([]byte, error) {
	input := reflect(&schema.Input{}, schema.InputDescription)
	output := reflect(&schema.Output{}, schema.OutputDescription)
	closed := reflect(&schema.Input{}, schema.InputDescription)
	closed.AdditionalProperties = jsonschema.FalseSchema
	line, ok := closed.Properties.Get("insert_line")
	if !ok {
		return nil, fmt.Errorf("the input has no insert_line")
	}
	line.Minimum = json.Number("0")

	spec := &abi.Spec{
		Name:        "file_editor",
		Title:       "file_editor",
		Description: strings.TrimSuffix(schema.Description, "\n"),
		Annotations: abi.Annotations{Title: "file_editor", Destructive: true},
		Needs:       abi.Needs{Files: abi.FilesWrite, State: true},
	}
	for to, from := range map[*abi.JSON]*jsonschema.Schema{
		&spec.InputSchema: input, &spec.Closed: closed, &spec.OutputSchema: output,
	} {
		b, err := json.Marshal(from)
		if err != nil {
			return nil, err
		}
		*to = b
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(spec)
	return b.Bytes(), err
}

// reflect makes the schema of a struct as MCP clients expect it: one object, no
// references, open to further properties.
func reflect(v any, description string) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true, AllowAdditionalProperties: true}
	s := r.Reflect(v)
	s.Version = ""
	s.Description = description
	return s
}

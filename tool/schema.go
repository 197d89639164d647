package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ohhost/ohhost/abi"
)

// Limits of a schema. Those of foreign plugins may be hostile, and the time to
// compile one grows with the square of its size.
const (
	maxSchema       = 1 << 20 // bytes
	maxSchemaValues = 5000    // JSON values
	maxSchemaDepth  = 64
)

// schemaURL is the name under which a schema is compiled; a relative $ref
// resolves against it and finds nothing but the schema itself.
const schemaURL = "ohhost://schema"

// A schema checks arguments and knows how to repair them.
type schema struct {
	compiled *jsonschema.Schema
	shape    *shape
	order    map[string]int // rank of each top-level field, as the schema lists them
	depth    int            // how deep arguments may be, see reach
}

// compileSchema compiles what the arguments of a tool are checked with: Closed,
// else InputSchema, else any object.
func compileSchema(s *abi.Spec) (*schema, error) {
	raw := []byte(s.Closed)
	if len(raw) == 0 {
		raw = s.InputSchema
	}
	if len(raw) == 0 {
		raw = []byte(`{"type": "object"}`)
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("%d bytes: over the limit of %d", len(raw), maxSchema)
	}
	d := decoder{data: raw, strict: true, maxDepth: maxSchemaDepth}
	doc, err := d.document()
	if err != nil {
		return nil, err
	}
	if d.values > maxSchemaValues {
		return nil, fmt.Errorf("%d values: over the limit of %d", d.values, maxSchemaValues)
	}
	obj, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("want a JSON object")
	}
	compiled, err := compile(obj)
	if err != nil {
		return nil, err
	}
	sc := &schema{
		compiled: compiled,
		shape:    newShapes(obj).at("#"),
		order:    propertyOrder(raw),
		depth:    reach(compiled),
	}
	if sc.depth < 0 {
		return nil, errors.New("takes too long to check: too many alternatives inside each other")
	}
	if !sc.shape.allows(typeObject) {
		return nil, errors.New(`arguments are an object, want "type": "object"`)
	}
	return sc, nil
}

// compile turns the library's panics, if it has any left, into errors: the
// schema comes from outside.
func compile(doc any) (sch *jsonschema.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			sch, err = nil, fmt.Errorf("cannot be compiled: %v", p)
		}
	}()
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	sch, err = c.Compile(schemaURL)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return sch, nil
}

// noLoader keeps a schema from reading files or the network.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is another document: references must stay inside the schema", quote(url))
}

// propertyOrder returns the rank of each top-level property in the order of the
// schema's text, which a map does not keep.
func propertyOrder(raw []byte) map[string]int {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return nil
	}
	order := map[string]int{}
	d := json.NewDecoder(bytes.NewReader(top["properties"]))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return order
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return order
		}
		if _, ok := order[name.(string)]; !ok {
			order[name.(string)] = len(order)
		}
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return order
		}
	}
	return order
}

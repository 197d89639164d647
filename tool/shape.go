package tool

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
)

// typeSet is a set of JSON Schema's types.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject

	typeAny typeSet = 1<<7 - 1
)

var types = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber | typeInteger,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// keepArrays is a keyword of ours (documented at Validate).
const keepArrays = "x-ohhost-no-join"

// A shape is what a schema says plainly about a value: enough to repair it and
// to tell what was expected. What it does not understand it leaves open.
type shape struct {
	ref        *shape // says the rest
	types      typeSet
	fields     map[string]*shape // of an object
	required   map[string]bool
	items      *shape // of an array
	nonEmpty   bool   // an array with at least one item
	hasDefault bool
	noJoin     bool
	choices    []any // the values of an enum
	bounds     []string

	description string // for people
}

// target follows references; a circle of them says nothing.
func (s *shape) target() *shape {
	for range 32 {
		if s == nil || s.ref == nil {
			return s
		}
		s = s.ref
	}
	return nil
}

func (s *shape) allows(t typeSet) bool { return s == nil || s.types&t != 0 }

// field returns the shape of a value inside s; nil is any.
func (s *shape) field(name string) *shape { return s.fields[name].target() }

// shapes makes the shapes of one document, each pointer once, so that
// recursive schemas end.
type shapes struct {
	doc    map[string]any
	noJoin bool
	done   map[string]*shape
}

func newShapes(doc map[string]any) *shapes {
	noJoin, _ := doc[keepArrays].(bool)
	return &shapes{doc: doc, noJoin: noJoin, done: map[string]*shape{}}
}

// at returns the shape of a reference within the document: "#", "#/$defs/x".
func (ss *shapes) at(ref string) *shape {
	if s, ok := ss.done[ref]; ok {
		return s
	}
	s := &shape{types: typeAny}
	ss.done[ref] = s
	pointer, ok := strings.CutPrefix(ref, "#")
	if pointer, err := url.PathUnescape(pointer); ok && err == nil {
		if node, ok := lookup(ss.doc, pointer); ok {
			*s = *ss.of(node)
		}
	}
	return s
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

func lookup(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		obj, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = obj[unescapePointer.Replace(token)]; !ok {
			return nil, false
		}
	}
	return v, true
}

// of returns the shape of one schema.
func (ss *shapes) of(node any) *shape {
	s := &shape{types: typeAny, noJoin: ss.noJoin}
	obj, ok := node.(map[string]any)
	if !ok {
		return s
	}
	s.readType(obj["type"])
	s.readBounds(obj)
	_, s.hasDefault = obj["default"]
	s.description, _ = obj["description"].(string)
	if v, ok := obj[keepArrays].(bool); ok {
		s.noJoin = v
	}
	s.choices, _ = obj["enum"].([]any)
	if props, ok := obj["properties"].(map[string]any); ok {
		s.fields = make(map[string]*shape, len(props))
		for name, p := range props {
			s.fields[name] = ss.of(p)
		}
	}
	required, _ := obj["required"].([]any)
	s.required = make(map[string]bool, len(required))
	for _, name := range required {
		if name, ok := name.(string); ok {
			s.required[name] = true
		}
	}
	if items, ok := obj["items"]; ok {
		s.items = ss.of(items)
	}
	if ref, ok := obj["$ref"].(string); ok && obj["type"] == nil {
		s.ref = ss.at(ref)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if alts, ok := obj[key].([]any); ok && obj["type"] == nil {
			ss.alternatives(s, key, alts)
		}
	}
	return s
}

// alternatives understands "X or null", as pydantic writes an optional field,
// and a single alternative.
func (ss *shapes) alternatives(s *shape, key string, alts []any) {
	var one any
	null := false
	for _, a := range alts {
		obj, ok := a.(map[string]any)
		switch {
		case ok && obj["type"] == "null" && key != "allOf":
			null = true
		case one != nil:
			return
		default:
			one = a
		}
	}
	if one == nil {
		return
	}
	a := ss.of(one)
	if a.ref != nil && !null {
		s.ref = a.ref
		return
	}
	// A reference that may also be null is left to the validator.
	if a.ref != nil {
		return
	}
	hasDefault, description := s.hasDefault, cmp.Or(s.description, a.description)
	*s = *a
	s.hasDefault, s.description = hasDefault, description
	if null {
		s.types |= typeNull
	}
}

func (s *shape) readType(v any) {
	var set typeSet
	switch v := v.(type) {
	case string:
		set = types[v]
	case []any:
		for _, t := range v {
			t, _ := t.(string)
			set |= types[t]
		}
	}
	if set != 0 {
		s.types = set
	}
}

func (s *shape) readBounds(obj map[string]any) {
	for _, b := range []struct{ key, sign string }{
		{"minimum", ">= "}, {"exclusiveMinimum", "> "}, {"maximum", "<= "}, {"exclusiveMaximum", "< "},
	} {
		if n, ok := obj[b.key].(json.Number); ok {
			s.bounds = append(s.bounds, b.sign+n.String())
		}
	}
	n, ok := obj["minItems"].(json.Number)
	s.nonEmpty = ok && n != "0"
}

package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ohhost/ohhost/abi"
)

// Validate is the Middleware that checks arguments: it repairs them where what
// was meant is plain, checks them with the Spec's Closed schema (InputSchema
// where there is none), and hands on canonical JSON; what fails is an
// *ArgumentError and never reaches the tool. The schema is compiled once, when
// the tool is wrapped; one that CheckSpec refuses makes every call a fault.
//
// The repairs (case FE-33; spec/tools.md, file_editor and terminal) touch only
// values of a type that the schema does not allow:
//
//	null for an optional field without a default      the field is left out
//	[] for an optional array with minItems > 0        the field is left out
//	2.0, 1e0 for an integer                           2, 1
//	"1", " +1 ", "1.0" for an integer or a number     1
//	true for a number (never for an integer)          1.0
//	0, 1, "yes", "off", … for a boolean               false, true
//	"[1, 2]" for an array, "{…}" for an object        the value in the text
//	["a", "b"] for a string                           "ab"
//
// The last one can be switched off with the schema keyword
// "x-ohhost-no-join": true, at a field or at the top for all fields.
//
// Half of a surrogate pair in a string is refused, as it cannot be kept.
func Validate(next Tool) Tool {
	sc, err := compileSchema(next.Spec())
	return &validated{next: next, schema: sc, broken: err}
}

type validated struct {
	next   Tool
	schema *schema
	broken error // why there is no schema
}

// Spec implements Tool.
func (v *validated) Spec() *abi.Spec { return v.next.Spec() }

// Unwrap implements Wrapper.
func (v *validated) Unwrap() Tool { return v.next }

// Keys implements Tool.
func (v *validated) Keys(ctx context.Context, c *Call) ([]string, error) {
	c, err := v.check(c)
	if err != nil {
		return nil, err
	}
	return v.next.Keys(ctx, c)
}

// Call implements Tool.
func (v *validated) Call(ctx context.Context, c *Call) (*abi.Result, error) {
	c, err := v.check(c)
	if err != nil {
		return nil, err
	}
	return v.next.Call(ctx, c)
}

// check returns a copy of the call with the arguments as the tool gets them.
func (v *validated) check(c *Call) (*Call, error) {
	name := v.next.Spec().Name
	if v.broken != nil {
		return nil, &FaultError{Tool: name, Op: "check arguments", Err: fmt.Errorf("input schema: %w", v.broken)}
	}
	args, err := v.schema.arguments(name, c.Args)
	if err != nil {
		return nil, err
	}
	checked := *c
	checked.Args = args
	return &checked, nil
}

// arguments repairs and checks raw and returns it as canonical JSON.
func (sc *schema) arguments(tool string, raw []byte) ([]byte, error) {
	refuse := func(ps ...ArgumentProblem) error { return &ArgumentError{Tool: tool, Problems: ps} }
	d := decoder{data: raw, maxDepth: min(sc.depth+1, maxDepth)}
	args, err := d.document()
	if err != nil {
		return nil, refuse(ArgumentProblem{Want: "want a JSON object, but " + err.Error()})
	}
	if d.broken {
		if ps := brokenTexts(nil, args, args, nil); len(ps) > 0 {
			return nil, refuse(ps...)
		}
	}
	args = sc.shape.repair(args)
	if _, ok := args.(map[string]any); !ok {
		return nil, refuse(ArgumentProblem{Want: "a JSON object", Got: preview(args)})
	}
	if depth(args) > min(sc.depth+1, maxDepth) { // a repair can unpack a text
		return nil, refuse(ArgumentProblem{Want: "want fewer arrays and objects inside each other"})
	}
	if err := sc.validate(args); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, &FaultError{Tool: tool, Op: "check arguments", Err: err}
		}
		return nil, refuse(sc.problems(invalid, args)...)
	}
	return appendJSON(make([]byte, 0, len(raw)+len(raw)/16), args), nil
}

// validate turns the library's panics, if it has any left, into errors.
func (sc *schema) validate(args any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the validator: %v", p)
		}
	}()
	return sc.compiled.Validate(args)
}

// brokenTexts appends a problem for each text that is none.
func brokenTexts(ps []ArgumentProblem, root, v any, at []string) []ArgumentProblem {
	if len(ps) == maxProblems {
		return ps
	}
	switch v := v.(type) {
	case brokenText:
		ps = append(ps, ArgumentProblem{fieldName(root, at), "text without half of a surrogate pair", preview(v)})
	case []any:
		for i, item := range v {
			ps = brokenTexts(ps, root, item, append(slices.Clip(at), strconv.Itoa(i)))
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			ps = brokenTexts(ps, root, v[name], append(slices.Clip(at), name))
		}
	}
	return ps
}

// depth counts arrays and objects inside each other.
func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item))
		}
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, depth(item))
		}
	default:
		return 0
	}
	return deepest + 1
}

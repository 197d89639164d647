package tool

import (
	"context"

	"github.com/ohhost/ohhost/abi"
)

// editorSchema has the kinds of fields that our own tools have.
const editorSchema = `{
  "type": "object", "additionalProperties": false,
  "required": ["command", "path"],
  "properties": {
    "command": {"type": "string", "enum": ["view", "create"]},
    "path": {"type": "string", "x-ohhost-no-join": true},
    "old_str": {"type": "string"},
    "insert_line": {"type": "integer", "minimum": 0},
    "view_range": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
    "timeout": {"type": "number", "minimum": 0},
    "reset": {"type": "boolean", "default": false},
    "words": {"type": "array", "items": {"type": "string"}},
    "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "options": {"$ref": "#/$defs/options"}
  },
  "$defs": {"options": {"type": "object", "additionalProperties": false, "properties": {
    "depth": {"type": "integer"}, "next": {"$ref": "#/$defs/options"}}}}
}`

// fakeTool answers with the arguments it got.
type fakeTool struct {
	spec *abi.Spec
	call func(ctx context.Context, c *Call) (*abi.Result, error)
}

func (f *fakeTool) Spec() *abi.Spec { return f.spec }

func (f *fakeTool) Keys(_ context.Context, c *Call) ([]string, error) {
	return []string{string(c.Args)}, nil
}

func (f *fakeTool) Call(ctx context.Context, c *Call) (*abi.Result, error) {
	if f.call != nil {
		return f.call(ctx, c)
	}
	return &abi.Result{Content: []abi.Part{{Text: string(c.Args)}}}, nil
}

type fakeSource struct {
	specs  []*abi.Spec
	closed int
	err    error
}

func (f *fakeSource) Specs() []*abi.Spec { return f.specs }

func (f *fakeSource) Bind(_ context.Context, name string, _ *Grant) (Tool, error) {
	if f.err != nil {
		return nil, f.err
	}
	for _, s := range f.specs {
		if s.Name == name {
			return &fakeTool{spec: s}, nil
		}
	}
	return nil, &UnknownToolError{Name: name}
}

func (f *fakeSource) Close(context.Context) error {
	f.closed++
	return f.err
}

func specOf(name, schema string) *abi.Spec {
	return &abi.Spec{Name: name, InputSchema: abi.JSON(schema)}
}

package guest

import (
	"errors"

	"github.com/ohhost/ohhost/abi"
)

// A Module is the tools of one plugin and answers for them. It is not changed by
// calls: natively, any number of Serve may run at once, each with its own Host.
type Module struct{ tools []*Tool }

// NewModule returns a Module of the given tools, or an error that says what is
// wrong with them: no tools, a name missing or used twice, no Call.
func NewModule(tools ...Tool) (*Module, error) {
	if len(tools) == 0 {
		return nil, errors.New("guest: no tools")
	}
	m := &Module{}
	for i := range tools {
		t := &tools[i]
		switch {
		case t.Spec.Name == "":
			return nil, errors.New("guest: a tool has no name")
		case t.Call == nil:
			return nil, errors.New("guest: tool " + t.Spec.Name + " has no Call")
		case m.tool(t.Spec.Name) != nil:
			return nil, errors.New("guest: tool " + t.Spec.Name + " is registered twice")
		}
		m.tools = append(m.tools, t)
	}
	return m, nil
}

// registered is this plugin's Module; written by init functions only.
var registered *Module

// Register adds tools to the plugin's. It is called from init functions; a
// mistake in the tools (see NewModule) panics there.
func Register(tools ...Tool) {
	var all []Tool
	if registered != nil {
		for _, t := range registered.tools {
			all = append(all, *t)
		}
	}
	m, err := NewModule(append(all, tools...)...)
	if err != nil {
		panic(err.Error())
	}
	registered = m
}

// Registered returns the plugin's own Module, or nil before Register.
func Registered() *Module { return registered }

func (m *Module) tool(name string) *Tool {
	for _, t := range m.tools {
		if t.Spec.Name == name {
			return t
		}
	}
	return nil
}

// Describe answers oh_describe, or returns an error for a SpecJSON that is no
// JSON or names another tool.
func (m *Module) Describe() (*abi.Frame, error) {
	var w writer
	w.raw("{")
	w.stringMember("abi", abi.Version)
	w.key("tools")
	w.raw("[")
	for _, t := range m.tools {
		w.sep()
		if t.SpecJSON == "" {
			w.spec(&t.Spec)
			continue
		}
		v, err := Parse(Bytes(t.SpecJSON))
		if err != nil {
			return nil, errors.New("guest: spec of " + t.Spec.Name + ": " + err.Error())
		}
		o, _ := v.Object()
		if name, _ := o.Str("name"); name != t.Spec.Name {
			return nil, errors.New("guest: spec of " + t.Spec.Name + ": it is for a tool called " + name)
		}
		w.raw(v.Raw())
	}
	w.raw("]}")
	return &abi.Frame{Header: w.b}, nil
}

// Serve answers one input of oh_call: it runs the tool that the input names, or
// its Keys, and returns the answer. The error is for an input that is not a call
// of one of the tools, which is a fault of the host. The answer may point into
// input, which must not change any more. A panic of the tool passes through.
func (m *Module) Serve(input []byte, h Host) (*abi.Frame, error) {
	f, err := abi.DecodeFrame(input)
	if err != nil {
		return nil, err
	}
	v, err := Parse(f.Header)
	if err != nil {
		return nil, err
	}
	header, ok := v.Object()
	if !ok {
		return nil, errors.New("the call's header is not an object")
	}
	name, _ := header.Str("tool")
	t := m.tool(name)
	if t == nil {
		return nil, errors.New("no tool is called " + name)
	}
	c := &Call{host: h, CWD: Text(attachment(f.Attachments, 0))}
	c.ID, _ = header.Str("id")
	c.Args, _ = header.Get("args").Object()
	switch op, _ := header.Str("op"); op {
	case abi.OpCall:
		res, err := t.Call(c)
		return newAnswer(res, err)
	case abi.OpKeys:
		var keys []string
		if t.Keys != nil {
			if keys, err = t.Keys(c); err != nil {
				return failure(err), nil
			}
		}
		return keysAnswer(keys), nil
	default:
		return nil, errors.New("operation " + op + " is not known")
	}
}

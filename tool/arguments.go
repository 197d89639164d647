package tool

import (
	"cmp"
	"slices"

	"github.com/ohhost/ohhost/abi"
)

// An Argument is what a tool's input schema says of one field, for people.
type Argument struct {
	Name        string
	Type        string // "a string", "one of view, create"; empty for anything
	Required    bool
	Description string
}

// Arguments lists the fields that a tool's input schema names, in its order. The
// error is that of a schema that is none.
func Arguments(s *abi.Spec) ([]Argument, error) {
	if len(s.InputSchema) == 0 {
		return nil, nil
	}
	sc, err := compileSchema(&abi.Spec{InputSchema: s.InputSchema})
	if err != nil {
		return nil, err
	}
	top := sc.shape.target()
	if top == nil {
		return nil, nil
	}
	list := make([]Argument, 0, len(top.fields))
	for name, field := range top.fields {
		a := Argument{Name: name, Type: field.describe(), Required: top.required[name], Description: field.description}
		if of := field.target(); a.Description == "" && of != nil {
			a.Description = of.description
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Argument) int {
		return cmp.Or(cmp.Compare(sc.order[a.Name], sc.order[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}

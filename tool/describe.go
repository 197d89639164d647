package tool

import (
	"strings"
)

// describe says in a few words what a value has to be: "an integer >= 0", "one
// of view, create". The empty text: anything.
func (s *shape) describe() string {
	if s = s.target(); s == nil {
		return ""
	}
	if len(s.choices) > 0 {
		return oneOf(s.choices)
	}
	if s.types == typeAny {
		return ""
	}
	var words []string
	for _, t := range []struct {
		set  typeSet
		word string
	}{
		{typeBoolean, "true or false"}, {typeNumber, "a number"}, {typeInteger, "an integer"},
		{typeString, "a string"}, {typeArray, "an array"}, {typeObject, "an object"}, {typeNull, "null"},
	} {
		if s.types&t.set == 0 || t.set == typeInteger && s.types&typeNumber != 0 {
			continue
		}
		word := t.word
		switch t.set {
		case typeNumber, typeInteger:
			if len(s.bounds) > 0 {
				word += " " + strings.Join(s.bounds, " and ")
			}
		case typeArray:
			word += s.items.target().plural()
		}
		words = append(words, word)
	}
	return strings.Join(words, " or ")
}

// plural describes the items of an array.
func (s *shape) plural() string {
	if s == nil {
		return ""
	}
	switch s.types {
	case typeBoolean:
		return " of booleans"
	case typeInteger:
		return " of integers"
	case typeNumber | typeInteger:
		return " of numbers"
	case typeString:
		return " of strings"
	case typeArray:
		return " of arrays"
	case typeObject:
		return " of objects"
	}
	return ""
}

func oneOf(choices []any) string {
	const most = 20
	words := make([]string, 0, most)
	for i, c := range choices {
		if i == most {
			words = append(words, "…")
			break
		}
		if s, ok := c.(string); ok && s != "" {
			words = append(words, short(s))
			continue
		}
		words = append(words, short(string(appendJSON(nil, c))))
	}
	if len(words) == 1 {
		return words[0]
	}
	return "one of " + strings.Join(words, ", ")
}

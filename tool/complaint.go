package tool

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// maxProblems is how many problems an error lists; an array of a million wrong
// items needs no more.
const maxProblems = 20

// A complaint is a problem with the place it is about.
type complaint struct {
	at   []string
	want string
	got  bool // the value there belongs into the message
}

// problems turns what the validator found into what a caller can act on: for
// each field what was expected, in the order of the schema, unknown fields
// last.
func (sc *schema) problems(err *jsonschema.ValidationError, args any) []ArgumentProblem {
	var cs []complaint
	sc.collect(err, &cs)
	slices.SortStableFunc(cs, sc.compare)
	cs = slices.CompactFunc(cs, func(a, b complaint) bool { return a.want == b.want && slices.Equal(a.at, b.at) })
	var ps []ArgumentProblem
	for i, c := range cs {
		if i == maxProblems {
			ps = append(ps, ArgumentProblem{Field: "…", Want: fmt.Sprintf("and %d more", len(cs)-i)})
			break
		}
		v := valueAt(args, c.at)
		p := ArgumentProblem{Field: fieldName(args, c.at), Want: c.want}
		if c.got {
			p.Got = preview(v)
		}
		ps = append(ps, p)
	}
	return ps
}

func (sc *schema) collect(e *jsonschema.ValidationError, cs *[]complaint) {
	add := func(want string, got bool, more ...string) {
		*cs = append(*cs, complaint{append(slices.Clip(e.InstanceLocation), more...), want, got})
	}
	described := func(fallback string) {
		add(cmp.Or(sc.shapeAt(e.InstanceLocation).describe(), fallback), true)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add("required", false, name)
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add("no such field", false, name)
		}
	case *kind.FalseSchema:
		add("no such field", false)
	case *kind.Type:
		described(strings.Join(k.Want, " or "))
	case *kind.Enum:
		described(oneOf(k.Want))
	case *kind.Const:
		add(oneOf([]any{k.Want}), true)
	case *kind.AnyOf, *kind.OneOf:
		described(say(e.ErrorKind))
	case *kind.Minimum:
		described("a number >= " + number(k.Want))
	case *kind.Maximum:
		described("a number <= " + number(k.Want))
	case *kind.ExclusiveMinimum:
		described("a number > " + number(k.Want))
	case *kind.ExclusiveMaximum:
		described("a number < " + number(k.Want))
	case *kind.MinLength:
		add(fmt.Sprintf("a string of at least %d characters", k.Want), true)
	case *kind.MaxLength:
		add(fmt.Sprintf("a string of at most %d characters", k.Want), true)
	case *kind.MinItems:
		add(fmt.Sprintf("an array of at least %d items", k.Want), true)
	case *kind.MaxItems:
		add(fmt.Sprintf("an array of at most %d items", k.Want), true)
	case *kind.Pattern:
		add("a string that matches "+short(k.Want), true)
	case *kind.MultipleOf:
		add("a multiple of "+number(k.Want), true)
	default:
		if len(e.Causes) == 0 {
			add(say(e.ErrorKind), true)
		}
		for _, c := range e.Causes {
			sc.collect(c, cs)
		}
	}
}

// say is the library's own wording.
func say(k jsonschema.ErrorKind) string {
	return k.LocalizedString(message.NewPrinter(language.English))
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// shapeAt follows a location through the shape; nil where it leads nowhere.
func (sc *schema) shapeAt(at []string) *shape {
	s := sc.shape.target()
	for _, token := range at {
		if s == nil {
			return nil
		}
		if f, ok := s.fields[token]; ok {
			s = f.target()
		} else {
			s = s.items.target()
		}
	}
	return s
}

// compare orders by the schema's top-level fields, then by place.
func (sc *schema) compare(a, b complaint) int {
	rank := func(c complaint) int {
		if len(c.at) == 0 {
			return -1
		}
		if r, ok := sc.order[c.at[0]]; ok {
			return r
		}
		return len(sc.order)
	}
	token := func(x, y string) int {
		i, errX := strconv.Atoi(x)
		j, errY := strconv.Atoi(y)
		if errX == nil && errY == nil {
			return cmp.Compare(i, j)
		}
		return strings.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), slices.CompareFunc(a.at, b.at, token), strings.Compare(a.want, b.want))
}

// fieldName writes a place as "view_range[1]" or "options.depth".
func fieldName(v any, at []string) string {
	var b strings.Builder
	for _, token := range at {
		switch x := v.(type) {
		case []any:
			b.WriteString("[" + token + "]")
			v = item(x, token)
			continue
		case map[string]any:
			v = x[token]
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		name := short(string(appendText(nil, cut(token, 256))))
		b.WriteString(name)
	}
	return b.String()
}

func valueAt(v any, at []string) any {
	for _, token := range at {
		switch x := v.(type) {
		case []any:
			v = item(x, token)
		case map[string]any:
			v = x[token]
		default:
			return nil
		}
	}
	return v
}

func item(arr []any, token string) any {
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(arr) {
		return arr[i]
	}
	return nil
}

// preview prints a value for a message without printing all of a long one.
func preview(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case brokenText:
		return quote(string(v))
	case []any:
		if len(v) > 20 {
			v = v[:20]
		}
		words := make([]string, len(v))
		for i := range v {
			words[i] = "[…]"
			switch v[i].(type) {
			case []any:
			case map[string]any:
				words[i] = "{…}"
			default:
				words[i] = preview(v[i])
			}
		}
		return short("[" + strings.Join(words, ",") + "]")
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		return "an object"
	}
	return short(string(appendJSON(nil, v)))
}

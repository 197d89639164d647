package tool

import (
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxVisits bounds how often the validator may look at one place of the
// arguments. A small schema can ask for 2^50 looks (allOf of references to allOf
// of references), the library cannot be stopped on the way, and schemas come
// from strangers.
const maxVisits = 100_000

// reach returns how deep arguments may be so that no place in them is looked at
// more than maxVisits times: maxDepth for all but odd schemas, and -1 for one
// that asks for more at the top already.
//
// It follows the ways from the root level by level: from a set of parts that look
// at one place to the parts that look at the same place, and from those to the
// sets for the places below it. A set that was met before leads to nothing new,
// so that schemas which merely refer to themselves are done soon.
func reach(root *jsonschema.Schema) int {
	met := map[string]bool{}
	level := []ways{{root: 1}}
	for depth := 0; depth <= maxDepth && len(level) > 0; depth++ {
		var next []ways
		for _, w := range level {
			all, total := ways{}, 0
			for s, n := range w {
				if total = all.spread(s, n, total); total > maxVisits {
					return depth - 1
				}
			}
			for _, below := range all.deeper() {
				key := below.key()
				if met[key] {
					continue
				}
				if met[key] = true; len(met) > maxSets {
					return depth
				}
				next = append(next, below)
			}
		}
		level = next
	}
	return maxDepth
}

// maxSets bounds the work of reach; real schemas have a few for each field.
const maxSets = 20_000

// ways counts how often each part of a schema looks at one place.
type ways map[*jsonschema.Schema]int

// key is the same for equal counts.
func (w ways) key() string {
	parts := make([]string, 0, len(w))
	for s, n := range w {
		parts = append(parts, s.Location+" "+strconv.Itoa(n))
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

// spread adds n ways to s and to all that looks at the same place, and returns
// the new total; it stops over maxVisits. A circle is an error of the validator,
// which stops at once; here the total ends it.
func (w ways) spread(s *jsonschema.Schema, n, total int) int {
	w[s] += n
	total += n
	for _, next := range samePlace(s) {
		if total > maxVisits {
			break
		}
		total = w.spread(next, n, total)
	}
	return total
}

// samePlace lists the parts of s that look at the same value.
func samePlace(s *jsonschema.Schema) []*jsonschema.Schema {
	var next []*jsonschema.Schema
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, {s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}} {
		for _, part := range list {
			if part != nil {
				next = append(next, part)
			}
		}
	}
	if s.DynamicRef != nil && s.DynamicRef.Ref != nil {
		next = append(next, s.DynamicRef.Ref)
	}
	for _, part := range s.DependentSchemas {
		next = append(next, part)
	}
	for _, part := range s.Dependencies {
		if part, ok := part.(*jsonschema.Schema); ok {
			next = append(next, part)
		}
	}
	return next
}

// deeper returns the ways one level deeper: one for each name that the schema
// treats apart, and one for all other names and items.
func (w ways) deeper() []ways {
	named, others := map[string]ways{}, ways{}
	add := func(name string, s *jsonschema.Schema, n int) {
		if named[name] == nil {
			named[name] = ways{}
		}
		named[name][s] += n
	}
	for s, n := range w {
		for name, part := range s.Properties {
			add("."+name, part, n)
		}
		for _, part := range s.PatternProperties {
			others[part] += n
		}
		for i, part := range s.PrefixItems {
			add("#"+strconv.Itoa(i), part, n)
		}
		if items, ok := s.Items.([]*jsonschema.Schema); ok {
			for i, part := range items {
				add("#"+strconv.Itoa(i), part, n)
			}
		}
		for _, v := range []any{
			s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties,
			s.Items, s.AdditionalItems, s.Items2020, s.Contains, s.UnevaluatedItems, s.ContentSchema,
		} {
			if part, ok := v.(*jsonschema.Schema); ok && part != nil {
				others[part] += n
			}
		}
	}
	var level []ways
	for _, w := range named {
		for s, n := range others {
			w[s] += n
		}
		level = append(level, w)
	}
	if len(others) > 0 {
		level = append(level, others)
	}
	return level
}

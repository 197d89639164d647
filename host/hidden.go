package host

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/ijson"
)

// Hidden says, one sentence for each, which texts of the module's tools have
// characters that a reader does not see but a model reads: a description can so
// hold instructions that its approval did not cover (threat A4). Some have their
// use, a zero-width joiner in Persian, so the module is not refused for them.
func (i *Inspection) Hidden() []string {
	var warnings []string
	for _, s := range i.Tools {
		for _, text := range []struct {
			name  string
			texts []string
		}{
			{"the title", []string{s.Title, s.Annotations.Title}},
			{"the description", []string{s.Description}},
			{"inputSchema", schemaTexts(s.InputSchema)},
			{"closedSchema", schemaTexts(s.Closed)},
			{"outputSchema", schemaTexts(s.OutputSchema)},
		} {
			if n, which := hidden(text.texts); n > 0 {
				warnings = append(warnings, fmt.Sprintf("tool %s: %s has hidden characters (%d): %s", s.Name, text.name, n, which))
			}
		}
	}
	return warnings
}

// schemaTexts are all strings of a schema, names too.
func schemaTexts(schema abi.JSON) []string { return slices.Collect(ijson.Strings(schema)) }

// shownHidden is how many kinds of hidden characters are named.
const shownHidden = 8

// hidden counts the hidden characters of texts, and names which.
func hidden(texts []string) (n int, which string) {
	var kinds []string
	for _, text := range texts {
		for _, r := range text {
			if !isHidden(r) {
				continue
			}
			n++
			if kind := fmt.Sprintf("%U", r); len(kinds) <= shownHidden && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	if len(kinds) > shownHidden {
		kinds[shownHidden] = "…"
	}
	return n, strings.Join(kinds, " ")
}

// isHidden reports whether r shows nothing of itself: controls; format characters,
// which are of zero width, of writing direction, or tags; and what Unicode calls
// default-ignorable (UAX #44, "Default_Ignorable_Code_Point"). The two variation
// selectors that choose how the sign before them looks, as text or as emoji, are
// not meant.
func isHidden(r rune) bool {
	switch {
	case r == 0xfe0e || r == 0xfe0f:
		return false
	case isControl(r) && r != '\r':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

//go:build linux || darwin

package jail

import (
	"errors"
	"fmt"
	"strings"
)

// A pattern is one line of gitignore(5): the syntax of deny patterns and of
// those that lift protection.
type pattern struct {
	text    string // as written
	negated bool   // began with "!"
	dirOnly bool   // ended in "/"
	parts   []part // components, matched from the granted directory down
	folded  []part // parts in folded letters; empty for a negated pattern
}

// A part is one component of a pattern: a glob, or "**" for any number of
// components.
type part struct {
	glob
	any bool
}

// compilePattern reads one pattern. What gitignore skips in silence (a blank
// line, a comment) or lets match nothing is an error here: a rule about access
// that has no effect is a slip.
func compilePattern(text string) (*pattern, error) {
	p, err := parsePattern(text)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", text, err)
	}
	return p, nil
}

func parsePattern(text string) (*pattern, error) {
	p := &pattern{text: text}
	s := trimBlanks(text)
	switch {
	case s == "":
		return nil, errors.New("it is blank")
	case s[0] == '#':
		return nil, errors.New(`it is a comment; write \# for a name that begins with #`)
	case strings.ContainsRune(s, 0):
		return nil, errors.New("it holds a NUL")
	case s[0] == '!':
		p.negated, s = true, s[1:]
	}
	if strings.HasSuffix(s, "/") {
		p.dirOnly, s = true, strings.TrimSuffix(s, "/")
	}
	anchored := strings.Contains(s, "/")
	s = strings.TrimPrefix(s, "/")
	if s == "" {
		return nil, errors.New("it names nothing")
	}
	if !anchored {
		s = "**/" + s
	}
	var err error
	if p.parts, err = parseParts(s); err != nil {
		return nil, err
	}
	if !p.negated {
		p.folded, err = parseParts(fold(s))
	}
	return p, err
}

func parseParts(s string) ([]part, error) {
	var parts []part
	components := strings.Split(s, "/")
	for i, c := range components {
		switch {
		case c == "":
			return nil, errors.New("it has an empty component")
		case c == "." || c == "..":
			return nil, errors.New("it has the component " + c + ", which no resolved path has")
		case c == "**" && len(components) > 1 && i == len(components)-1:
			// "a/**" is what is inside a, not a itself.
			parts = append(parts, part{any: true}, part{glob: glob{text: "*"}})
		case c == "**" && len(components) > 1:
			parts = append(parts, part{any: true})
		default:
			g, err := compileGlob(c)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{glob: g})
		}
	}
	return parts, nil
}

// trimBlanks removes trailing blanks that no backslash quotes.
func trimBlanks(s string) string {
	for strings.HasSuffix(s, " ") {
		quotes := 0
		for i := len(s) - 2; i >= 0 && s[i] == '\\'; i-- {
			quotes++
		}
		if quotes%2 == 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// match reports whether p describes the path of these components exactly;
// folded are the same in folded letters. A pattern that excludes matches in any
// letter case, because some file systems find a file under any; one that takes
// back ("!") only as it is written.
func (p *pattern) match(names, folded []string, dir bool) bool {
	if p.dirOnly && !dir {
		return false
	}
	return matchParts(p.parts, names) || len(p.folded) > 0 && matchParts(p.folded, folded)
}

func matchParts(parts []part, names []string) bool {
	p, n := 0, 0
	anyP, anyN := -1, 0
	for n < len(names) {
		if p < len(parts) && parts[p].any {
			p++
			anyP, anyN = p, n
			continue
		}
		if p < len(parts) && parts[p].match(names[n]) {
			p++
			n++
			continue
		}
		if anyP < 0 {
			return false
		}
		anyN++
		p, n = anyP, anyN
	}
	for p < len(parts) && parts[p].any {
		p++
	}
	return p == len(parts)
}

// patterns is a list in which, for each path, the last match counts.
type patterns []*pattern

func compilePatterns(texts []string) (patterns, error) {
	ps := make(patterns, len(texts))
	for i, text := range texts {
		p, err := compilePattern(text)
		if err != nil {
			return nil, err
		}
		ps[i] = p
	}
	return ps, nil
}

// find returns the pattern that excludes the path of these components, relative
// to a granted directory, or one of the directories above it: what is in an
// excluded directory cannot be taken back (gitignore(5)).
func (ps patterns) find(names []string, dir bool) *pattern {
	if len(ps) == 0 || len(names) == 0 {
		return nil
	}
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = fold(n)
	}
	for n := 1; n <= len(names); n++ {
		if p := ps.last(names[:n], folded[:n], dir || n < len(names)); p != nil && !p.negated {
			return p
		}
	}
	return nil
}

func (ps patterns) last(names, folded []string, dir bool) *pattern {
	for i := len(ps) - 1; i >= 0; i-- {
		if ps[i].match(names, folded, dir) {
			return ps[i]
		}
	}
	return nil
}

// quotePattern returns a pattern that matches the path of these components and
// nothing else (but other letter cases).
func quotePattern(names []string) string {
	var b strings.Builder
	for _, n := range names {
		b.WriteByte('/')
		for i := 0; i < len(n); i++ {
			if strings.IndexByte(`*?[]\ `, n[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(n[i])
		}
	}
	return b.String()
}

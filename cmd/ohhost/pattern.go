package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkPattern refuses a pattern that is meant as an absolute path: patterns are
// relative to each granted directory, so that it would silently match nothing.
func checkPattern(flag, pattern string, all []granted) error {
	p, negated := strings.CutPrefix(pattern, "!")
	hint := func(instead string) string {
		if negated {
			instead = "!" + instead
		}
		return "patterns are relative to each granted directory: write " + flag + " '" + instead + "'"
	}
	if strings.HasPrefix(p, "~/") {
		return usagef(hint("/sub/path"), "%s %s: ~ is a name in a pattern, not the home directory", flag, pattern)
	}
	// From the root directory, a resolved absolute path is a right pattern.
	rooted := slices.ContainsFunc(all, func(a granted) bool { return a.real == "/" })
	for _, a := range all {
		for _, name := range []string{a.path, a.real} {
			if rooted && name == a.real {
				continue
			}
			instead, ok := below(p, name)
			if !ok {
				if _, ok = below(unquotePattern(p), name); !ok {
					continue
				}
				instead = "/sub/path"
			}
			if instead == "" {
				instead = a.inside()
			}
			return usagef(hint(instead), "%s %s: a pattern is not an absolute path", flag, pattern)
		}
	}
	return nil
}

// inside is a pattern for what a grant holds: the file, or something below the
// directory.
func (a *granted) inside() string {
	if info, err := os.Stat(a.real); err == nil && info.IsDir() {
		return "/sub/path"
	}
	return "/" + filepath.Base(a.real)
}

// unquotePattern removes the backslashes that quote characters.
func unquotePattern(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' && i+1 < len(p) {
			i++
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// below returns what of p is below dir, "/…" or nothing for dir itself.
func below(p, dir string) (string, bool) {
	rest, ok := strings.CutPrefix(p, dir)
	if rest == "/" {
		rest = ""
	}
	return rest, ok && (rest == "" || rest[0] == '/')
}

//go:build linux || darwin

package jail

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A glob matches one path component: "*", "?", "[a-z]", "[!a-z]",
// "[[:alpha:]]" and "\" as in gitignore(5). It works on characters, a byte that
// is not UTF-8 counts as one.
type glob struct {
	text    string // the component as written
	literal string // what it stands for when plain
	plain   bool   // holds no wildcard
}

// compileGlob checks s. An unfinished class or a trailing backslash, which git
// lets match nothing, is an error: in a rule about access it is a slip.
func compileGlob(s string) (glob, error) {
	var lit strings.Builder
	plain := true
	for i := 0; i < len(s); {
		switch s[i] {
		case '*', '?':
			plain = false
			i++
		case '[':
			plain = false
			_, n, err := matchClass(s[i:], 0)
			if err != nil {
				return glob{}, err
			}
			i += n
		case '\\':
			if i+1 == len(s) {
				return glob{}, errors.New("it ends in a backslash")
			}
			lit.WriteByte(s[i+1])
			i += 2
		default:
			lit.WriteByte(s[i])
			i++
		}
	}
	return glob{text: s, literal: lit.String(), plain: plain}, nil
}

// match reports whether name is what g describes. The last star alone is tried
// again, so the time is at most len(name) times len(pattern).
func (g *glob) match(name string) bool {
	if g.plain {
		return g.literal == name
	}
	pat := g.text
	p, n := 0, 0
	starP, starN := -1, 0
	for n < len(name) {
		if p < len(pat) && pat[p] == '*' {
			p++
			starP, starN = p, n
			continue
		}
		r, size := utf8.DecodeRuneInString(name[n:])
		if r == utf8.RuneError && size == 1 {
			r = -1 - rune(name[n]) // a stray byte equals itself only
		}
		if p < len(pat) {
			if ok, used := matchOne(pat[p:], r); ok {
				p += used
				n += size
				continue
			}
		}
		if starP < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(name[starN:])
		starN += size
		p, n = starP, starN
	}
	for p < len(pat) && pat[p] == '*' {
		p++
	}
	return p == len(pat)
}

// matchOne matches r against the first element of pat, which is not "*" and
// has been compiled; it returns the length of the element.
func matchOne(pat string, r rune) (bool, int) {
	switch pat[0] {
	case '?':
		return true, 1
	case '[':
		ok, n, _ := matchClass(pat, r)
		return ok, n
	}
	c, n := element(pat)
	return c == r, n
}

// element decodes one character of a pattern, which a backslash may quote.
func element(pat string) (rune, int) {
	quoted := 0
	if pat[0] == '\\' && len(pat) > 1 {
		pat, quoted = pat[1:], 1
	}
	r, n := utf8.DecodeRuneInString(pat)
	if r == utf8.RuneError && n == 1 {
		r = -1 - rune(pat[0])
	}
	return r, quoted + n
}

var errClass = errors.New("its [ has no ]")

// matchClass reports whether the class that pat begins with holds r, and the
// class's length.
func matchClass(pat string, r rune) (bool, int, error) {
	i := 1
	negated := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if negated {
		i++
	}
	found := false
	for first := true; ; first = false {
		if i >= len(pat) {
			return false, 0, errClass
		}
		if pat[i] == ']' && !first {
			return found != negated, i + 1, nil
		}
		if strings.HasPrefix(pat[i:], "[:") {
			if end := strings.Index(pat[i:], ":]"); end >= 2 {
				in, ok := posix[strings.ToLower(pat[i+2:i+end])]
				if !ok {
					return false, 0, errors.New("it names no such class as " + pat[i:i+end+2])
				}
				found = found || in(r)
				i += end + 2
				continue
			}
		}
		lo, n := element(pat[i:])
		i += n
		hi := lo
		if i+1 < len(pat) && pat[i] == '-' && pat[i+1] != ']' {
			hi, n = element(pat[i+1:])
			i += 1 + n
		}
		found = found || lo <= r && r <= hi
	}
}

// posix are the named classes, for ASCII as in git's C locale.
var posix = map[string]func(rune) bool{
	"alnum":  func(r rune) bool { return isAlpha(r) || isDigit(r) },
	"alpha":  isAlpha,
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"cntrl":  func(r rune) bool { return r >= 0 && r < ' ' || r == 0x7f },
	"digit":  isDigit,
	"graph":  func(r rune) bool { return r > ' ' && r < 0x7f },
	"lower":  func(r rune) bool { return r >= 'a' && r <= 'z' },
	"print":  func(r rune) bool { return r >= ' ' && r < 0x7f },
	"punct":  func(r rune) bool { return r > ' ' && r < 0x7f && !isAlpha(r) && !isDigit(r) },
	"space":  func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' },
	"upper":  func(r rune) bool { return r >= 'A' && r <= 'Z' },
	"xdigit": func(r rune) bool { return isDigit(r) || unicode.Is(unicode.ASCII_Hex_Digit, r) },
}

func isAlpha(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
func isDigit(r rune) bool { return r >= '0' && r <= '9' }

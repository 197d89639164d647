package guest

import (
	"errors"
	"strings"
)

// MaxDepth is how deeply arrays and objects may be nested in JSON that Parse
// accepts.
const MaxDepth = 512

// Errors of Parse.
var (
	ErrJSON      = errors.New("broken JSON")
	ErrJSONDepth = errors.New("JSON is nested too deeply")
)

// A scanner walks over JSON text without building anything, so that a hostile
// text costs no more memory than its own size.
type scanner struct {
	s string
	i int
}

func (p *scanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end (no token starts with NUL).
func (p *scanner) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

// value checks one value and moves past it.
func (p *scanner) value(depth int) error {
	switch c := p.peek(); {
	case c == '"':
		return p.string()
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return ErrJSONDepth
		}
		return p.composite(c, depth+1)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(p.s[p.i:], word) {
			p.i += len(word)
			return nil
		}
	}
	return ErrJSON
}

func (p *scanner) composite(open byte, depth int) error {
	end := open + 2 // both pairs lie two apart in ASCII
	p.i++
	p.space()
	if p.peek() == end {
		p.i++
		return nil
	}
	for {
		if open == '{' {
			if p.peek() != '"' {
				return ErrJSON
			}
			if err := p.string(); err != nil {
				return err
			}
			p.space()
			if p.peek() != ':' {
				return ErrJSON
			}
			p.i++
			p.space()
		}
		if err := p.value(depth); err != nil {
			return err
		}
		p.space()
		c := p.peek()
		p.i++
		switch c {
		case end:
			return nil
		case ',':
			p.space()
		default:
			return ErrJSON
		}
	}
}

func (p *scanner) string() error {
	for i := p.i + 1; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.i = i + 1
			return nil
		case c < ' ':
			return ErrJSON
		case c == '\\':
			i++
			if i == len(p.s) {
				return ErrJSON
			}
			switch p.s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(p.s[i+1:]); !ok {
					return ErrJSON
				}
				i += 4
			default:
				return ErrJSON
			}
		}
	}
	return ErrJSON
}

func (p *scanner) number() error {
	if p.peek() == '-' {
		p.i++
	}
	if p.peek() == '0' {
		p.i++
	} else if !p.digits() {
		return ErrJSON
	}
	if p.peek() == '.' {
		p.i++
		if !p.digits() {
			return ErrJSON
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.i++
		if c := p.peek(); c == '+' || c == '-' {
			p.i++
		}
		if !p.digits() {
			return ErrJSON
		}
	}
	return nil
}

func (p *scanner) digits() bool {
	start := p.i
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.i++
	}
	return p.i > start
}

// skip moves past one value of text that has been checked already. Strings,
// where nearly all bytes are, go from quote to quote.
func (p *scanner) skip() {
	depth := 0
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case '"':
			p.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return
			}
			depth--
			if depth == 0 {
				p.i++
				return
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return
			}
		}
		p.i++
	}
}

func (p *scanner) skipString() {
	start := p.i + 1
	for i := start; ; i++ {
		i += strings.IndexByte(p.s[i:], '"')
		back := i
		for back > start && p.s[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			p.i = i + 1
			return
		}
	}
}

// hex4 reads four hex digits.
func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

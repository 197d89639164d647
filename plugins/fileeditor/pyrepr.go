package main

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/guest"
)

// pyRepr returns a string as Python's repr prints it.
func pyRepr(s string) string {
	const hex = "0123456789abcdef"
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	b := append(make([]byte, 0, len(s)+2), quote)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == utf8.RuneError && n == 1: // Python holds such a byte as a lone surrogate
			b = append(b, `\udc`...)
			b = append(b, hex[s[i]>>4], hex[s[i]&15])
		case strconv.IsPrint(r):
			b = append(b, s[i:i+n]...)
		default:
			letter, digits := byte('x'), 2
			if r > 0xffff {
				letter, digits = 'U', 8
			} else if r > 0xff {
				letter, digits = 'u', 4
			}
			b = append(b, '\\', letter)
			for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
				b = append(b, hex[r>>shift&15])
			}
		}
		i += n
	}
	return string(append(b, quote))
}

// pyInts prints numbers as Python prints a list: "[1, 5]".
func pyInts(ns ...string) string { return "[" + strings.Join(ns, ", ") + "]" }

// pySpace reports whether Python's str.strip takes a character away.
func pySpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r >= 0x1c && r <= ' ', r == 0x85, r == 0xa0, r == 0x1680,
		r >= 0x2000 && r <= 0x200a, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	}
	return false
}

// pyStrip is Python's str.strip.
func pyStrip(s string) string { return strings.TrimFunc(s, pySpace) }

// pyInt returns a whole number, cut to what an int64 holds, and how Python prints
// it: there integers have no end.
func pyInt(v guest.Value) (n int64, printed string) {
	n, _ = v.Int()
	if n == math.MaxInt64 || n == math.MinInt64 {
		return n, v.Raw()
	}
	return n, strconv.FormatInt(n, 10)
}

package tool

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string; d.pos is at its quote. broken: half of a surrogate pair
// was in it.
func (d *decoder) text() (s string, broken bool, err error) {
	d.pos++
	start := d.pos
	var b strings.Builder // empty while nothing was escaped
	for ; d.pos < len(d.data); d.pos++ {
		switch c := d.data[d.pos]; {
		case c == '"':
			if err := d.checkUTF8(start); err != nil {
				return "", false, err
			}
			raw := d.data[start:d.pos]
			d.pos++
			if b.Len() == 0 {
				return string(raw), broken, nil
			}
			b.Write(raw)
			return b.String(), broken, nil
		case c < 0x20:
			return "", false, d.fail(d.pos, fmt.Sprintf("a raw %s in a string, write it as an escape", d.what(d.pos)))
		case c == '\\':
			if err := d.checkUTF8(start); err != nil {
				return "", false, err
			}
			if b.Len() == 0 { // once, as long texts must not be copied again and again
				b.Grow(d.textLen(start))
			}
			b.Write(d.data[start:d.pos])
			r, n := d.escape()
			if n == 0 {
				return "", false, d.fail(d.pos, "an unknown escape in a string")
			}
			if r < 0 { // half of a pair
				if d.strict {
					return "", false, d.fail(d.pos, "half of a surrogate pair")
				}
				r, broken, d.broken = utf8.RuneError, true, true
			}
			b.WriteRune(r)
			d.pos += n - 1
			start = d.pos + 1
		}
	}
	return "", false, d.fail(len(d.data), "unexpected end of the text in a string")
}

// textLen returns how many bytes a string has, as it is written, from start to
// its closing quote.
func (d *decoder) textLen(start int) int {
	for i := start; i < len(d.data); i++ {
		switch d.data[i] {
		case '"':
			return i - start
		case '\\':
			i++
		}
	}
	return len(d.data) - start
}

// checkUTF8 looks at the bytes from start to d.pos.
func (d *decoder) checkUTF8(start int) error {
	raw := d.data[start:d.pos]
	if utf8.Valid(raw) {
		return nil
	}
	for {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n <= 1 {
			return d.fail(d.pos-len(raw), "a byte that is not UTF-8")
		}
		raw = raw[n:]
	}
}

// escape reads the escape at d.pos: its character, -1 for half of a surrogate
// pair, and how many bytes it takes, 0 for an unknown one.
func (d *decoder) escape() (rune, int) {
	b := d.data[d.pos:]
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := hex4(b[2:])
		switch {
		case !ok:
			return 0, 0
		case !utf16.IsSurrogate(r):
			return r, 6
		}
		if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
			if low, ok := hex4(b[8:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		return -1, 6
	}
	return 0, 0
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

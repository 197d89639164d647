package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// A codec is one encoding of text. Its decoder keeps no state between
// characters, so that decoding may begin at any of them.
type codec struct {
	name string            // IANA's, in lower case
	enc  encoding.Encoding // nil for UTF-8
	unit int               // bytes of a code unit
	many bool              // a character may have several byte sequences
}

// replacement is U+FFFD, which stands for bytes that are no character.
var replacement = []byte(string(utf8.RuneError))

// decode returns body as UTF-8, its line ends as they are, and how many U+FFFD
// in it stand for bytes that are no character. The text of valid UTF-8 is body
// itself.
func (c *codec) decode(w watch, body []byte) (full []byte, stray int) {
	if c.enc == nil {
		if utf8.Valid(body) {
			return body, 0
		}
		return replaceStray(w, body)
	}
	full, _ = w.transform(c.enc.NewDecoder(), body) // these decoders replace, they do not fail
	stray = bytes.Count(full, replacement)
	if stray > 0 && c.unit > 1 {
		stray -= c.count(w, body, replacement)
	}
	return full, stray
}

// count counts the code units of body that encode the one character char.
func (c *codec) count(w watch, body, char []byte) int {
	want, _ := c.encode(w, char)
	n, left := 0, pieceSize
	for unit := range slices.Chunk(body, c.unit) {
		if left--; left == 0 {
			w.check()
			left = pieceSize
		}
		if bytes.Equal(unit, want) {
			n++
		}
	}
	return n
}

// encode returns the bytes of s, which is valid UTF-8; ok is false when the
// encoding lacks one of its characters.
func (c *codec) encode(w watch, s []byte) (b []byte, ok bool) {
	if c.enc == nil {
		return s, true
	}
	b, err := w.transform(c.enc.NewEncoder(), s)
	if err != nil {
		return nil, false
	}
	if c.many {
		// Some encoders write a look-alike: U+00A5 as a backslash in Shift_JIS.
		back, _ := c.decode(w, b)
		return b, bytes.Equal(back, s)
	}
	return b, true
}

// strict decodes body if all of it is text in this encoding: every byte belongs
// to a character that Unicode assigns, that is no C1 control, and that can be
// written back.
func (c *codec) strict(w watch, body []byte) (full []byte, ok bool) {
	full, stray := c.decode(w, body)
	if stray > 0 {
		return nil, false
	}
	for piece := range w.pieces(full) {
		for _, r := range string(piece) {
			if r >= utf8.RuneSelf && (r < 0xa0 || unicode.In(r, unicode.Cn, unicode.Co)) {
				return nil, false
			}
		}
	}
	_, ok = c.encode(w, full)
	return full, ok
}

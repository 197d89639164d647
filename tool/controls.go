package tool

import (
	"unicode"
	"unicode/utf8"
)

// escapes reports whether r above ASCII, or DEL, is escaped in JSON that people may
// look at, because a terminal, an editor or a reader of lines obeys it: C1
// controls, of which some terminals take U+009B for ESC [; the controls of
// writing direction (Unicode TR 9, "Bidi_Control"), which make a text look like
// another one; U+2028 and U+2029, which end a line for some readers of JSON Lines.
func escapes(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r > 0x9f && (r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r))
}

// AppendString appends s as a JSON string in quotes, escaped as in an
// observation: a terminal that shows it obeys nothing in it.
func AppendString(dst []byte, s string) []byte {
	return append(appendText(append(dst, '"'), s), '"')
}

// EscapeControls escapes in a JSON text what AppendString would, beyond what JSON
// asks for. It means the same: those characters can only be in strings. It returns
// text itself where there are none.
func EscapeControls(text []byte) []byte {
	var out []byte
	start := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if escapes(r) {
			out = appendUnicode(append(out, text[start:i]...), r)
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}

// appendUnicode appends a character up to U+FFFF as an escape.
func appendUnicode(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

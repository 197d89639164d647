package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/guest"
)

// hint returns the line that may help after old was not found: where a text
// differs from it only in the kind of white space (FE-12), or that old holds
// pasted line numbers (FE-40); else nothing.
func hint(text []byte, old string) string {
	for _, old := range [...]string{old, pyStrip(old)} {
		if near := nearMatch(text, old); near != "" {
			return near
		}
	}
	if hasGutter(old) {
		return noteGutter
	}
	return ""
}

// nearMatch looks for a text that equals old but for white-space characters of
// another kind, one for one, and says where the first differs.
func nearMatch(text []byte, old string) string {
	if strings.IndexFunc(old, pySpace) < 0 {
		return ""
	}
	at := bytes.Index(blanked(text), blanked(guest.Bytes(old)))
	if at < 0 {
		return ""
	}
	// at counts bytes of the blanked text: walk to the same place in the text,
	// then along old up to the first difference.
	line, column := 1, 1
	i, passed := 0, 0
	for i < len(text) {
		has, size := utf8.DecodeRune(text[i:])
		if passed >= at {
			want, n := utf8.DecodeRuneInString(old)
			if has != want {
				return "\nNOTE: Line " + strconv.Itoa(line) + " is a near match: it has " + codePoint(has) + " at column " +
					strconv.Itoa(column) + " where `old_str` has " + codePoint(want) + "."
			}
			old = old[n:]
		}
		i += size
		if pySpace(has) {
			size = 1
		}
		passed += size
		column++
		if has == '\n' {
			line++
			column = 1
		}
	}
	return ""
}

// blanked returns a copy of a text with every white-space character made a
// blank.
func blanked(text []byte) []byte {
	b := make([]byte, 0, len(text))
	start := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if pySpace(r) {
			b = append(append(b, text[start:i]...), ' ')
			start = i + size
		}
		i += size
	}
	return append(b, text[start:]...)
}

// codePoint prints a white-space character as U+00A0; all have four digits.
func codePoint(r rune) string {
	const hex = "0123456789ABCDEF"
	return "U+" + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
}

// hasGutter reports whether every line begins as `cat -n` prints it: blanks, a
// number, a tab.
func hasGutter(old string) bool {
	old = strings.TrimSuffix(old, "\n")
	for line := range strings.SplitSeq(old, "\n") {
		number, _, tab := strings.Cut(strings.TrimLeft(line, " "), "\t")
		if !tab || number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

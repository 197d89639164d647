package text

import (
	"fmt"
	"unicode/utf8"
)

// An UndecodableError says that a file is no text in any encoding.
type UndecodableError struct {
	// Reason is why it is not UTF-8, in Python's words: "'utf-8' codec can't
	// decode byte 0xff in position 577: invalid start byte". The file editor
	// shows it to the model (spec/tools.md, "Encoding, in this order").
	Reason string
}

// Error is the Reason.
func (e *UndecodableError) Error() string { return e.Reason }

// utf8Reason says why b is not UTF-8, as str(UnicodeDecodeError) does in
// CPython: which bytes of b are at fault (of a broken sequence those that a valid
// one could begin with) and why. It is "" for valid UTF-8.
func utf8Reason(b []byte) string {
	at := 0
	for {
		for at < len(b) && b[at] < utf8.RuneSelf {
			at++
		}
		if at == len(b) {
			return ""
		}
		_, n := utf8.DecodeRune(b[at:])
		if n == 1 {
			break
		}
		at += n
	}
	size, why := brokenSequence(b[at:])
	if size == 1 {
		return fmt.Sprintf("'utf-8' codec can't decode byte 0x%02x in position %d: %s", b[at], at, why)
	}
	return fmt.Sprintf("'utf-8' codec can't decode bytes in position %d-%d: %s", at, at+size-1, why)
}

// brokenSequence says how many bytes of the sequence that b begins with are at
// fault, and why; b does not begin with a character.
func brokenSequence(b []byte) (size int, why string) {
	if b[0] < 0xc2 || b[0] > 0xf4 {
		return 1, "invalid start byte"
	}
	// A sequence that the end cuts short would be complete with more bytes
	// behind it: FullRune is false for exactly those.
	if !utf8.FullRune(b) {
		return len(b), "unexpected end of data"
	}
	for size = 1; size < len(b) && !utf8.FullRune(b[:size]); size++ {
	}
	return size - 1, "invalid continuation byte"
}

package main

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-isatty"
)

// A term says what a standard stream is.
type term struct {
	is    bool // a terminal, not a pipe or a file
	color bool // one that shows colours, and the user wants them (no-color.org)
}

func newTerm(f *os.File) term {
	is := isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
	return term{is: is, color: is && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// clean makes a foreign text harmless for a terminal: control characters other
// than tab and newline become their pictures, so that no escape sequence in a
// file can move the cursor, set the clipboard or answer for the user; bytes
// that are not UTF-8, C1 controls and the characters that turn the direction of
// writing become U+FFFD.
func clean(s string) string { return replaceControls(s, "\n\t") }

// cleanLine is clean for what has to stay on one line.
func cleanLine(s string) string { return replaceControls(s, "\t") }

func replaceControls(s, keep string) string {
	ok := func(r rune) bool {
		switch {
		case r < 0x20:
			return strings.ContainsRune(keep, r)
		case r >= 0x7f && r <= 0x9f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == utf8.RuneError:
			return false
		}
		return true
	}
	if strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case ok(r):
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		}
		return utf8.RuneError
	}, s)
}

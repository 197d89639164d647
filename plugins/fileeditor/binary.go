package main

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/guest"
)

// isBinary reports whether a file is no text for this tool: it is suspected by
// its name or its first bytes, and the whole does not read as clean text. A file
// with an image's name is never called binary (spec/tools.md, "File checks").
func isBinary(path string, t *guest.FileText) bool {
	clean := t.Undecodable == "" && !t.Control
	return !clean && imageType(path) == "" && (hasBinaryExtension(path) || hasBinaryHead(t))
}

func hasBinaryExtension(path string) bool {
	ext := strings.TrimPrefix(suffix(path), ".")
	return ext != "" && !strings.Contains(ext, " ") && strings.Contains(binaryExtensions, " "+ext+" ")
}

// signatures begin files of kinds that are never text.
var signatures = [...]string{
	"\x7fELF", "\x1f\x8b", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "BM", "RIFF", "%PDF-",
	"PK\x03\x04", "PK\x05\x06", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07",
	"MZ", "\x00asm", "\xca\xfe\xba\xbe", "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe",
	"SQLite format 3\x00", "OggS", "ID3", "fLaC", "!<arch>\n", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "wOFF", "wOF2",
}

// hasBinaryHead judges a file by its first bytes: a known signature; more than a
// stray NUL or control byte that UTF-16 or UTF-32 does not explain; high bytes
// that no encoding explains. Escape and backspace are what programs print to a
// terminal and say nothing.
func hasBinaryHead(t *guest.FileText) bool {
	for _, s := range signatures {
		if bytes.HasPrefix(t.Head, []byte(s)) {
			return true
		}
	}
	if t.Undecodable != "" && !utf8.Valid(wholeCharacters(t.Head)) {
		return true
	}
	if strings.HasPrefix(t.Encoding, "utf-16") || strings.HasPrefix(t.Encoding, "utf-32") {
		return false
	}
	control := 0
	for _, b := range t.Head {
		if b < ' ' && b != '\t' && b != '\n' && b != '\v' && b != '\f' && b != '\r' && b != '\b' && b != 0x1b || b == 0x7f {
			control++
		}
	}
	return control > 1
}

// wholeCharacters cuts a character off that the end of b splits.
func wholeCharacters(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

package main

import (
	"bytes"

	"github.com/ohhost/ohhost/guest"
)

// contextLines is how many lines a snippet shows on either side of an edit.
const contextLines = 4

// snippet returns the lines first to last (from 1) of text with the splice
// applied, each with its line end. The splice lies in or after line first. A
// lone CR that it inserts ends a line, as it will when the file is read again.
func snippet(text []byte, s *guest.Splice, first, last int) []byte {
	count := last - first + 1
	from := lineStart(text, first)
	rest := text[s.At+s.Del:]
	rest = rest[:lineStart(rest, count+1)]
	b := make([]byte, 0, s.At-from+len(s.Insert)+len(rest))
	b = append(append(append(b, text[from:s.At]...), s.Insert...), rest...)
	if bytes.IndexByte(s.Insert, '\r') >= 0 {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
		b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	}
	return b[:lineStart(b, count+1)]
}

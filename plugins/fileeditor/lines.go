package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/guest"
)

// limit is how many characters (code points) of a text or listing are shown.
const limit = 16000

// countLines returns how many lines a text with LF line ends has. The last one
// need not be terminated.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// lineStart returns where line n (from 1) begins, or len(text) beyond the last.
func lineStart(text []byte, n int) int {
	at := 0
	for ; n > 1; n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// clip shortens a text to limit characters: its head, the notice, its tail
// (spec/tools.md, "Truncation").
func clip(text, notice string) string {
	// So many bytes cannot be more than limit characters, so many not fewer.
	if len(text) <= limit || len(text) <= utf8.UTFMax*limit && utf8.RuneCountInString(text) <= limit {
		return text
	}
	available := limit - utf8.RuneCountInString(notice)
	head := (available + 1) / 2
	return text[:forward(text, head)] + notice + text[backward(text, available-head):]
}

// forward returns where the first n characters of a text end.
func forward(text string, n int) int {
	i := 0
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// backward returns where the last n characters of a text begin.
func backward(text string, n int) int {
	i := len(text)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return i
}

// numbered returns the lines of a text, clipped, as `cat -n` shows them, with a
// newline after the last. The text is split at its newlines, so that one that
// ends in a newline has an empty line more.
func numbered(text []byte, first int) string {
	shown := clip(guest.Text(text), noticeFile)
	lines := strings.Count(shown, "\n") + 1
	b := make([]byte, 0, len(shown)+8*lines)
	for line := range strings.SplitSeq(shown, "\n") {
		number := strconv.Itoa(first)
		for range 6 - len(number) {
			b = append(b, ' ')
		}
		b = append(append(b, number...), '\t')
		b = append(append(b, line...), '\n')
		first++
	}
	return guest.Text(b)
}

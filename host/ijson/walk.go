package ijson

import (
	"bytes"
	"encoding/json"
	"iter"
	"unsafe"
)

// The functions of this file read texts that Check or Mend have passed.

// Members yields the names and values of an object in their order; nothing for
// what is no object. Values are parts of text, names may be.
func Members(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		i := space(text, 0)
		if !opens(text, i, '{') {
			return
		}
		for i = space(text, i+1); text[i] != '}'; {
			end := endOfString(text, i)
			name := unquote(text[i:end])
			i = space(text, space(text, end)+1) // the colon
			end = endOfValue(text, i)
			if !yield(name, text[i:end]) {
				return
			}
			if i = space(text, end); text[i] == ',' {
				i = space(text, i+1)
			}
		}
	}
}

// Elements yields the values of an array in their order; nothing for what is no
// array. They are parts of text.
func Elements(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := space(text, 0)
		if !opens(text, i, '[') {
			return
		}
		for i = space(text, i+1); text[i] != ']'; {
			end := endOfValue(text, i)
			if !yield(text[i:end]) {
				return
			}
			if i = space(text, end); text[i] == ',' {
				i = space(text, i+1)
			}
		}
	}
}

// Strings yields all strings of a text, names too, as what they stand for.
func Strings(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; ; {
			n := bytes.IndexByte(text[i:], '"')
			if n < 0 {
				return
			}
			i += n
			end := endOfString(text, i)
			if !yield(unquote(text[i:end])) {
				return
			}
			i = end
		}
	}
}

func opens(text []byte, i int, c byte) bool { return i < len(text) && text[i] == c }

// space returns where white space that begins at i ends.
func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

// endOfValue returns where the value that begins at i ends.
func endOfValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return endOfString(text, i)
	case '{', '[':
	default:
		return endOfScalar(text, i)
	}
	for depth := 0; ; {
		switch text[i] {
		case '"':
			i = endOfString(text, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
}

// endOfString returns where the string that begins at i ends: behind the first
// quote with an even number of backslashes before it.
func endOfString(text []byte, i int) int {
	start := i + 1
	for i = start; ; i++ {
		i += bytes.IndexByte(text[i:], '"')
		back := i
		for back > start && text[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
}

// endOfScalar returns where the number or word that begins at i ends.
func endOfScalar(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return i
}

// unquote returns what a JSON string stands for. Where nothing is escaped that is
// part of it, which nobody changes.
func unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(inner), len(inner))
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it was checked
	return s
}

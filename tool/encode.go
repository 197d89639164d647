package tool

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// appendJSON appends v, as a decoder returns it, as canonical JSON: names
// sorted, no white space, numbers as they were written, strings as
// appendText writes them.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case json.Number:
		return append(dst, v...)
	case string:
		return AppendString(dst, v)
	case brokenText:
		return appendJSON(dst, string(v))
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range sortedKeys(v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSON(dst, name), ':')
			dst = appendJSON(dst, v[name])
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

const hexDigits = "0123456789abcdef"

// appendText appends s as the inside of a JSON string, escaped as encoding/json
// does without HTML escaping, and so is what escapes says. Bytes that are not UTF-8
// become U+FFFD.
func appendText[T string | []byte](dst []byte, s T) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < 0x7f {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(string(s[i:min(len(s), i+utf8.UTFMax)]))
			if !escapes(r) && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = appendUnicode(dst, r)
		}
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

// quote prints a foreign text for a message: in quotes, at most 60 characters.
func quote(s string) string { return short(string(appendJSON(nil, cut(s, 256)))) }

// short cuts a JSON text for a message after 60 characters.
func short(s string) string {
	if c := cut(s, 60); c != s {
		return c + "…"
	}
	return s
}

// cut returns the first n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

package guest

import (
	"strconv"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
)

// AppendString appends s to dst as a JSON string. Bytes that are not UTF-8
// become U+FFFD, one for each.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of what is not yet appended
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// StringField returns a field whose value is a text; short ones travel in the
// header, long ones as an attachment.
func StringField(name, text string) abi.Field { return abi.Field{Name: name, Text: Bytes(text)} }

// BoolField returns a field whose value is true or false.
func BoolField(name string, b bool) abi.Field {
	return abi.Field{Name: name, Value: strconv.AppendBool(nil, b)}
}

// IntField returns a field whose value is a number.
func IntField(name string, n int64) abi.Field {
	return abi.Field{Name: name, Value: strconv.AppendInt(nil, n, 10)}
}

// NullField returns a field whose value is null.
func NullField(name string) abi.Field { return abi.Field{Name: name, Value: abi.JSON("null")} }

// BlobField returns a field whose value is a text that the files service keeps,
// so that it need not pass through the plugin; null for NoBlob.
func BlobField(name string, b Blob) abi.Field {
	if b == NoBlob {
		return NullField(name)
	}
	var w writer
	w.raw("{")
	w.intMember(abi.FieldBlob, int(b))
	w.raw("}")
	return abi.Field{Name: name, Value: w.b}
}

package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// byteOrderMarks in the order of the test: UTF-32's begins like UTF-16's.
var byteOrderMarks = []struct {
	mark  []byte
	codec *codec
}{
	{[]byte("\xef\xbb\xbf"), utf8Codec},
	{[]byte("\xff\xfe\x00\x00"), utf32le},
	{[]byte("\x00\x00\xfe\xff"), utf32be},
	{[]byte("\xff\xfe"), utf16le},
	{[]byte("\xfe\xff"), utf16be},
}

// byteOrderMark returns the encoding that raw's byte order mark names and the
// mark's length; nil without a mark.
func byteOrderMark(raw []byte) (*codec, int) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(raw, m.mark) {
			return m.codec, len(m.mark)
		}
	}
	return nil, 0
}

// bareUTF16 decodes raw if it is UTF-16 without a byte order mark: of even
// length, with NULs in the high bytes only and in at least every eighth of them,
// and without controls and unassigned characters. Else it returns nil. "a\x00b\n"
// is none: its second unit is unassigned.
func bareUTF16(w watch, raw []byte) (*codec, []byte) {
	if len(raw)%2 != 0 || bytes.IndexByte(raw, 0) < 0 {
		return nil, nil
	}
	var nuls [2]int // at even and at odd offsets
	for i, b := range raw {
		if b == 0 {
			nuls[i&1]++
		}
	}
	c := utf16le
	if nuls[1] == 0 {
		c = utf16be
	}
	if nuls[0] > 0 && nuls[1] > 0 || 8*(nuls[0]+nuls[1]) < len(raw)/2 {
		return nil, nil
	}
	full, stray := c.decode(w, raw)
	if stray > 0 || hasControl(full) {
		return nil, nil
	}
	for piece := range w.pieces(full) {
		for _, r := range string(piece) {
			if r >= utf8.RuneSelf && unicode.Is(unicode.Cn, r) {
				return nil, nil
			}
		}
	}
	return c, full
}

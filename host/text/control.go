package text

import "encoding/binary"

const (
	lanes    = 0x0101010101010101 // one in each byte of a word
	highBits = 0x80 * lanes
)

// hasControl reports whether b, which is ASCII, UTF-8 or a superset of ASCII,
// holds one of the characters U+0000-0008, U+000E-001F and U+007F: those that
// make a suspect file binary (spec/tools.md, "File checks").
func hasControl(b []byte) bool {
	for len(b) >= 8 {
		if wordHasControl(binary.LittleEndian.Uint64(b)) {
			return true
		}
		b = b[8:]
	}
	for _, c := range b {
		if c < 0x20 && (c < '\t' || c > '\r') || c == 0x7f {
			return true
		}
	}
	return false
}

// wordHasControl looks at eight bytes at once. The bytes are cut to seven bits,
// so that no addition carries into the next byte; adding 0x80-n sets the high
// bit of those that are at least n.
func wordHasControl(w uint64) bool {
	low := w &^ highBits
	least := func(n uint64) uint64 { return low + (0x80-n)*lanes }
	below0x20 := ^least(0x20)
	blank := least('\t') & ^least('\r'+1)
	return (below0x20&^blank|least(0x7f))&^w&highBits != 0
}

// isASCII reports whether all bytes of b are below 0x80.
func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&highBits != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

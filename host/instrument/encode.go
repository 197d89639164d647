package instrument

import "encoding/binary"

// appendU32 appends an unsigned LEB128 number (5.2.2).
func appendU32(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

// appendSigned appends a signed LEB128 number (5.2.2).
func appendSigned(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendBytes(b, v []byte) []byte { return append(appendU32(b, uint32(len(v))), v...) }

func appendName(b []byte, v string) []byte { return append(appendU32(b, uint32(len(v))), v...) }

// appendLimits appends 5.3.7.
func appendLimits(b []byte, low uint32, high *uint32) []byte {
	if high == nil {
		return appendU32(append(b, 0), low)
	}
	return appendU32(appendU32(append(b, 1), low), *high)
}

// appendSection appends a section (5.5.2) whose content is a vector of n things;
// nothing when there are none.
func appendSection(b []byte, id byte, n int, things []byte) []byte {
	if n == 0 {
		return b
	}
	count := appendU32(nil, uint32(n))
	b = appendU32(append(b, id), uint32(len(count)+len(things)))
	return append(append(b, count...), things...)
}

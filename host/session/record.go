package session

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// errDamaged means that a file of the session is not what we wrote.
var errDamaged = errors.New("the record is damaged")

// Records are little-endian and end in a CRC-32C of all before it. A reader
// stops being ok at the first field that does not fit, so that a decoder checks
// once at its end.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) take(n uint64) []byte {
	if !r.ok || n > uint64(len(r.b)) {
		r.ok = false
		return nil
	}
	p := r.b[:n:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) u8() byte {
	if p := r.take(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	if p := r.take(4); p != nil {
		return binary.LittleEndian.Uint32(p)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if p := r.take(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

func (r *reader) text() string { return string(r.take(uint64(r.u32()))) }

func appendText(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of parts as if they were one.
func checksum(parts ...[]byte) uint32 {
	var sum uint32
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return sum
}

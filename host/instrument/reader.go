package instrument

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var (
	errShort = errors.New("unexpected end")
	errLEB   = errors.New("a number is encoded with too many bits")
	errUTF8  = errors.New("a name is not UTF-8")
)

// A reader reads the binary format. The first error stays; what is read after it
// is zero, so that callers check once a section.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// more reports whether there is more to read and no error so far.
func (r *reader) more() bool { return r.err == nil && r.at < len(r.b) }

func (r *reader) byte() byte {
	if r.err != nil || r.at >= len(r.b) {
		r.fail(errShort)
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

// take returns the next n bytes, not copied.
func (r *reader) take(n uint32) []byte {
	if r.err != nil || uint64(n) > uint64(len(r.b)-r.at) {
		r.fail(errShort)
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at]
}

// u32 reads an unsigned LEB128 number of 32 bits (5.2.2).
func (r *reader) u32() uint32 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 && r.err == nil {
		r.at++
		return uint32(r.b[r.at-1])
	}
	var v uint32
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			r.fail(errLEB)
		}
		if r.err != nil {
			return 0
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
}

// signed reads a signed LEB128 number of the given width: 32, 33 or 64 bits
// (5.2.2).
func (r *reader) signed(bits int) int64 {
	var v int64
	for shift := 0; ; shift += 7 {
		c := r.byte()
		if left := bits - shift; left < 7 {
			// The bits beyond the width must repeat the sign, and no byte follows.
			rest := int8(c<<1) >> left // sign bit and what is above it
			if c >= 0x80 || rest != 0 && rest != -1 {
				r.fail(errLEB)
			}
		}
		if r.err != nil {
			return 0
		}
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if shift+7 < 64 && c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// name reads a name (5.2.4).
func (r *reader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail(errUTF8)
	}
	return string(b)
}

// count reads the length of a vector (5.1.3) of things of at least one byte each.
func (r *reader) count(what string, limit int) int {
	n := r.u32()
	if r.err == nil && uint64(n) > uint64(limit) {
		r.fail(&LimitError{What: what, Have: uint64(n), Max: uint64(limit)})
	}
	if r.err == nil && uint64(n) > uint64(len(r.b)-r.at) {
		r.fail(errShort)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// index reads an index and checks it.
func (r *reader) index(what string, n int) uint32 {
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(n) {
		r.fail(fmt.Errorf("%s %d does not exist", what, i))
		return 0
	}
	return i
}

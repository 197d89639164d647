package guest

import (
	"iter"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// A Kind is what a JSON value is.
type Kind byte

// The kinds of a Value. KindNone is that of a value that is not there.
const (
	KindNone Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// A Value is a JSON value as it was written, checked by Parse; it is decoded
// where it is asked for, so that large arguments are not held twice. The zero
// Value is one that is not there.
type Value struct{ raw string }

// Parse checks that b is one JSON value, by the same grammar as encoding/json
// but for the depth, and returns it, or ErrJSON or ErrJSONDepth. The Value and
// its strings point into b, which must not change any more.
func Parse(b []byte) (Value, error) {
	p := scanner{s: unsafe.String(unsafe.SliceData(b), len(b))}
	p.space()
	start := p.i
	if err := p.value(0); err != nil {
		return Value{}, err
	}
	end := p.i
	p.space()
	if p.i < len(p.s) {
		return Value{}, ErrJSON
	}
	return Value{p.s[start:end]}, nil
}

// Raw returns the value's JSON text; empty for one that is not there.
func (v Value) Raw() string { return v.raw }

// Kind returns what the value is.
func (v Value) Kind() Kind {
	if v.raw == "" {
		return KindNone
	}
	switch v.raw[0] {
	case 'n':
		return KindNull
	case 't', 'f':
		return KindBool
	case '"':
		return KindString
	case '[':
		return KindArray
	case '{':
		return KindObject
	}
	return KindNumber
}

// Bool returns the value if it is true or false.
func (v Value) Bool() (b, ok bool) { return v.raw == "true", v.Kind() == KindBool }

// Int returns the value if it is a whole number, also one written as 1.0 or
// 1e2. One beyond an int64 is cut to the nearest int64.
func (v Value) Int() (n int64, ok bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	s, negative := strings.CutPrefix(v.raw, "-")
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], decimalExponent(s[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimLeft(whole+fraction, "0")
	zeros := exponent - len(fraction)
	if digits == "" {
		return 0, true
	}
	for ; zeros < 0 && digits[len(digits)-1] == '0'; zeros++ {
		digits = digits[:len(digits)-1]
	}
	if zeros < 0 {
		return 0, false
	}
	if len(digits)+zeros > 19 {
		return limit(negative), true
	}
	var u uint64 // 19 digits fit
	for i := range len(digits) + zeros {
		u *= 10
		if i < len(digits) {
			u += uint64(digits[i] - '0')
		}
	}
	switch {
	case u > math.MaxInt64:
		return limit(negative), true
	case negative:
		return -int64(u), true
	}
	return int64(u), true
}

func limit(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

// decimalExponent reads the digits of an exponent. Those beyond all reason are
// cut, far out where no difference remains.
func decimalExponent(s string) int {
	s, negative := strings.CutPrefix(strings.TrimPrefix(s, "+"), "-")
	n := 0
	for i := 0; i < len(s) && n < 1<<40; i++ {
		n = n*10 + int(s[i]-'0')
	}
	if negative {
		return -n
	}
	return n
}

// Str returns the value if it is a string. Escapes are resolved, and a lone
// surrogate or a byte that is not UTF-8 becomes U+FFFD; a string without either
// points into the parsed text.
func (v Value) Str() (s string, ok bool) {
	if v.Kind() != KindString {
		return "", false
	}
	s = v.raw[1 : len(v.raw)-1]
	if strings.IndexByte(s, '\\') < 0 && utf8.ValidString(s) {
		return s, true
	}
	b := unescape(s)
	return unsafe.String(unsafe.SliceData(b), len(b)), true
}

// unescape decodes the inside of a checked JSON string.
func unescape(s string) []byte {
	b := make([]byte, 0, len(s)) // an escape is never shorter than what it stands for
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\\')
		if n < 0 {
			n = len(s) - i
		}
		b = appendValid(b, s[i:i+n])
		i += n
		if i == len(s) {
			break
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(s[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				r, i = surrogate(r, s, i)
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		b = append(b, c)
	}
	return b
}

// surrogate joins r with the escape at s[i:] if they are a pair, and returns the
// character and where the text goes on.
func surrogate(r rune, s string, i int) (rune, int) {
	if strings.HasPrefix(s[i:], `\u`) {
		if low, ok := hex4(s[i+2:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
	}
	return utf8.RuneError, i
}

// appendValid appends s with U+FFFD for each byte that is not UTF-8.
func appendValid(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(b, s...)
	}
	for _, r := range s {
		b = utf8.AppendRune(b, r)
	}
	return b
}

// Items returns the elements of an array, in order; none if it is no array.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != KindArray {
			return
		}
		p := scanner{s: v.raw, i: 1}
		for p.space(); p.peek() != ']'; p.space() {
			start := p.i
			p.skip()
			if !yield(Value{p.s[start:p.i]}) {
				return
			}
			p.space()
			if p.peek() == ',' {
				p.i++
			}
		}
	}
}

// Object returns the value's members if it is an object.
func (v Value) Object() (o Object, ok bool) {
	if v.Kind() != KindObject {
		return Object{}, false
	}
	p := scanner{s: v.raw, i: 1}
	for p.space(); p.peek() != '}'; p.space() {
		start := p.i
		p.skip()
		key, _ := Value{p.s[start:p.i]}.Str()
		p.space()
		p.i++ // the colon
		p.space()
		start = p.i
		p.skip()
		o.members = append(o.members, member{key, Value{p.s[start:p.i]}})
		p.space()
		if p.peek() == ',' {
			p.i++
		}
	}
	return o, true
}

// An Object is the members of a JSON object. The zero Object has none.
type Object struct{ members []member }

type member struct {
	key   string
	value Value
}

// Len returns how many members were written, repeated keys included.
func (o Object) Len() int { return len(o.members) }

// Get returns the value of a key, compared exactly; of a repeated key the last
// one, and the zero Value where there is none.
func (o Object) Get(key string) Value {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return o.members[i].value
		}
	}
	return Value{}
}

// Str is Get(key).Str().
func (o Object) Str(key string) (s string, ok bool) { return o.Get(key).Str() }

// Int is Get(key).Int().
func (o Object) Int(key string) (n int64, ok bool) { return o.Get(key).Int() }

// Bool is Get(key).Bool().
func (o Object) Bool(key string) (b, ok bool) { return o.Get(key).Bool() }

// All returns the members in the order written, repeated keys included.
func (o Object) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, m := range o.members {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}

// Bytes returns the bytes of s without copying them. They must not be written to.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Text returns b as a string without copying it. b must not change any more.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

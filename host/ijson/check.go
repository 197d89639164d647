package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a text.
const (
	// MaxDepth is how deep arrays and objects may be nested. Schemas that people
	// write have ten levels.
	MaxDepth = 64
	// MaxValues is how many values a text may have: texts, numbers, arrays,
	// objects and all else, without the names.
	MaxValues = 1 << 20
)

// Errors of a text that is JSON but is not taken. Those that are about a place
// say where.
var (
	ErrDepth     = fmt.Errorf("it is nested deeper than %d levels", MaxDepth)
	ErrValues    = fmt.Errorf("it has more than %d values", MaxValues)
	ErrUTF8      = errors.New("it is not UTF-8")
	ErrSurrogate = errors.New(`it has a \u escape of half a surrogate pair`)
	ErrName      = errors.New("an object has this name twice")
	ErrNumber    = errors.New("a number is out of range")
)

// Check returns nil for a text that is taken, an error of encoding/json for one
// that is not JSON, or one of this package. It never panics.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return ErrUTF8
	}
	if err := syntax(text); err != nil {
		return err
	}
	return (&walk{text: text}).run()
}

// Mend is Check for what shall be shown in spite of a flaw: of bytes that are not
// UTF-8, and in the place of half a surrogate pair, the text returned has U+FFFD.
// Text that has no such flaw is returned itself.
func Mend(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if err := syntax(text); err != nil {
		return nil, err
	}
	w := &walk{text: text, mend: true}
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.text, nil
}

// syntax returns what encoding/json says of a text that is not JSON.
func syntax(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var v ignored
	err := json.Unmarshal(text, &v)
	if err != nil && strings.HasSuffix(err.Error(), " exceeded max depth") { // encoding/json's own bound is 10 000
		return ErrDepth
	}
	return err
}

// ignored is a value of which only the syntax counts.
type ignored struct{}

// UnmarshalJSON does nothing.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// A walk goes over a text that is JSON, value by value.
type walk struct {
	text   []byte
	mend   bool // flaws are mended
	copied bool // text is a copy, which may be changed
	values int
	open   []level
}

// A level is an array or object that is not closed yet.
type level struct {
	object bool
	name   bool // a name comes next
	names  names
}

func (w *walk) run() error {
	for i := 0; i < len(w.text); {
		var top *level
		if n := len(w.open); n > 0 {
			top = &w.open[n-1]
		}
		switch c := w.text[i]; c {
		case ' ', '\t', '\r', '\n':
			i++
		case ',':
			top.name = top.object
			i++
		case ':':
			top.name = false
			i++
		case '{', '[':
			if err := w.value(); err != nil {
				return err
			}
			if len(w.open) == MaxDepth {
				return ErrDepth
			}
			w.open = append(w.open, level{object: c == '{', name: c == '{'})
			i++
		case '}', ']':
			w.open = w.open[:len(w.open)-1]
			i++
		case '"':
			end := endOfString(w.text, i)
			if err := w.surrogates(i, end); err != nil {
				return err
			}
			if top == nil || !top.name {
				if err := w.value(); err != nil {
					return err
				}
			} else if name := unquote(w.text[i:end]); !top.names.add(name) {
				return fmt.Errorf("%w: %.60q", ErrName, name)
			}
			i = end
		default:
			if err := w.value(); err != nil {
				return err
			}
			end := endOfScalar(w.text, i)
			if err := number(w.text[i:end]); err != nil {
				return err
			}
			i = end
		}
	}
	return nil
}

// value counts one value.
func (w *walk) value() error {
	if w.values++; w.values > MaxValues {
		return ErrValues
	}
	return nil
}

// surrogates looks at the escapes of the string text[start:end].
func (w *walk) surrogates(start, end int) error {
	for i := start; ; {
		n := bytes.IndexByte(w.text[i:end], '\\')
		if n < 0 {
			return nil
		}
		i += n
		r, size := escape(w.text[i:end])
		if r != utf8.RuneError {
			i += size
			continue
		}
		if !w.mend {
			return ErrSurrogate
		}
		if !w.copied {
			w.text, w.copied = bytes.Clone(w.text), true
		}
		copy(w.text[i:], `\ufffd`)
		i += size
	}
}

// escape returns utf8.RuneError for an escape of half a surrogate pair, something
// else for any other, and its length; s, which is part of a JSON string, begins
// with it.
func escape(s []byte) (rune, int) {
	if s[1] != 'u' {
		return 0, 2
	}
	r := hex(s[2:6])
	if r < 0xd800 || r > 0xdfff {
		return 0, 6
	}
	if r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low := hex(s[8:12]); low >= 0xdc00 && low <= 0xdfff {
			return 0, 12
		}
	}
	return utf8.RuneError, 6
}

func hex(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits), 16, 16)
	return rune(n)
}

// number refuses what a float64 cannot hold; true, false and null are not looked
// at. A short number without an exponent fits.
func number(s []byte) error {
	if s[0] != '-' && (s[0] < '0' || s[0] > '9') || len(s) < 300 && !bytes.ContainsAny(s, "eE") {
		return nil
	}
	if _, err := strconv.ParseFloat(string(s), 64); err != nil {
		return fmt.Errorf("%w: %.40s", ErrNumber, s)
	}
	return nil
}

// names are the names of an object so far: few in a list, which is faster, many
// in a set.
type names struct {
	few  []string
	many map[string]struct{}
}

const fewNames = 16

// add reports whether the name is new.
func (n *names) add(name string) bool {
	if n.many != nil {
		_, taken := n.many[name]
		n.many[name] = struct{}{}
		return !taken
	}
	for _, have := range n.few {
		if have == name {
			return false
		}
	}
	if n.few = append(n.few, name); len(n.few) > fewNames {
		n.many = make(map[string]struct{}, 4*fewNames)
		for _, have := range n.few {
			n.many[have] = struct{}{}
		}
	}
	return true
}

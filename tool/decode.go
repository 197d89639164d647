package tool

import (
	"bytes"
	"cmp"
	"fmt"
	"unicode/utf8"
)

// Limits of arguments. They keep a caller from filling the memory or the stack
// before the schema is asked.
const (
	MaxArguments = 64 << 20 // bytes of the JSON text
	maxDepth     = 512      // arrays and objects inside each other
	maxNumber    = 4300     // characters of a number, and its largest exponent (CPython's limit for int)
)

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Line, Column int // from 1; the column counts characters
	Msg          string
}

// Error begins with the position.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// brokenText stands for a string that holds half of a surrogate pair: valid
// JSON, but no Unicode text. It has U+FFFD in the place of each half.
type brokenText string

// DecodeObject reads a JSON object strictly as RFC 8259 has it: numbers keep
// their text (json.Number), names are case-sensitive, of a repeated name the
// last value counts. A text that is not JSON, not UTF-8, or too deep is a
// *SyntaxError; so is half of a surrogate pair, which no UTF-8 text can hold.
func DecodeObject(data []byte) (map[string]any, error) {
	d := decoder{data: data, strict: true}
	v, err := d.document()
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, d.fail(d.skipSpace(0), "want a JSON object")
	}
	return obj, nil
}

// decoder reads JSON into nil, bool, json.Number, string, brokenText, []any and
// map[string]any. encoding/json would take "A" for "a", and write U+FFFD over
// broken text without a word; and it knows no columns.
type decoder struct {
	data   []byte
	pos    int
	depth  int
	strict bool // broken text is an error, not a brokenText
	broken bool // a brokenText was met
	values int  // how many values were read

	maxDepth int // 0 is the limit of arguments
}

// document reads the whole of data as one value.
func (d *decoder) document() (any, error) {
	if len(d.data) > MaxArguments {
		return nil, &SyntaxError{1, 1, fmt.Sprintf("the text has %d bytes, over the limit of %d", len(d.data), MaxArguments)}
	}
	d.pos = d.skipSpace(0)
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	if d.pos = d.skipSpace(d.pos); d.pos < len(d.data) {
		return nil, d.fail(d.pos, "unexpected "+d.what(d.pos)+" after the JSON value")
	}
	return v, nil
}

func (d *decoder) fail(pos int, msg string) error {
	before := d.data[:min(pos, len(d.data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
		Msg:    msg,
	}
}

// what names the character at pos for a message.
func (d *decoder) what(pos int) string {
	if pos >= len(d.data) {
		return "end of the text"
	}
	r, n := utf8.DecodeRune(d.data[pos:])
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("byte 0x%02x", d.data[pos])
	}
	return fmt.Sprintf("character %q", r)
}

func (d *decoder) unexpected(want string) error {
	return d.fail(d.pos, "unexpected "+d.what(d.pos)+", want "+want)
}

func (d *decoder) skipSpace(pos int) int {
	for pos < len(d.data) {
		switch d.data[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// peek skips white space and returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	d.pos = d.skipSpace(d.pos)
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

func (d *decoder) value() (any, error) {
	d.values++
	switch c := d.peek(); {
	case c == '{' || c == '[':
		limit := cmp.Or(d.maxDepth, maxDepth)
		if d.depth++; d.depth > limit {
			return nil, d.fail(d.pos, fmt.Sprintf("more than %d arrays and objects inside each other", limit))
		}
		defer func() { d.depth-- }()
		if c == '[' {
			return d.array()
		}
		return d.object()
	case c == '"':
		s, broken, err := d.text()
		if broken {
			return brokenText(s), err
		}
		return s, err
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	case c == 't':
		return true, d.word("true")
	case c == 'f':
		return false, d.word("false")
	case c == 'n':
		return nil, d.word("null")
	}
	return nil, d.unexpected("a JSON value")
}

func (d *decoder) word(w string) error {
	if !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
		return d.unexpected("a JSON value")
	}
	d.pos += len(w)
	return nil
}

func (d *decoder) array() (any, error) {
	d.pos++
	arr := []any{}
	if d.peek() == ']' {
		d.pos++
		return arr, nil
	}
	for {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		arr = append(arr, v)
		switch d.peek() {
		case ',':
			d.pos++
		case ']':
			d.pos++
			return arr, nil
		default:
			return nil, d.unexpected("',' or ']'")
		}
	}
}

func (d *decoder) object() (any, error) {
	d.pos++
	obj := map[string]any{}
	if d.peek() == '}' {
		d.pos++
		return obj, nil
	}
	for {
		if d.peek() != '"' {
			return nil, d.unexpected("a name in double quotes")
		}
		start := d.pos
		name, broken, err := d.text()
		if err != nil {
			return nil, err
		}
		if broken {
			return nil, d.fail(start, "a name holds half of a surrogate pair")
		}
		if d.peek() != ':' {
			return nil, d.unexpected("':'")
		}
		d.pos++
		if obj[name], err = d.value(); err != nil {
			return nil, err
		}
		switch d.peek() {
		case ',':
			d.pos++
		case '}':
			d.pos++
			return obj, nil
		default:
			return nil, d.unexpected("',' or '}'")
		}
	}
}

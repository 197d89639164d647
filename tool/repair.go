package tool

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// repair turns a value of a JSON type that the schema does not allow into what
// the caller plainly meant (case FE-33; spec/tools.md, the schemas of
// file_editor and terminal); what is not plain stays as it is, for the
// validator to refuse. A value that is right already is never touched, so
// repairing twice changes nothing more. Maps and slices are changed in place.
func (s *shape) repair(v any) any {
	if s = s.target(); s == nil {
		return v
	}
	switch x := v.(type) {
	case bool:
		if s.types&(typeBoolean|typeNumber) == typeNumber {
			v = json.Number(map[bool]string{false: "0.0", true: "1.0"}[x])
		}
	case json.Number:
		v = s.repairNumber(x)
	case string:
		if !s.allows(typeString) {
			v = s.repairText(x)
		}
	case []any:
		if !s.allows(typeArray) && s.allows(typeString) && !s.noJoin {
			v = join(x)
		}
	}
	switch x := v.(type) {
	case []any:
		if s.items.target() != nil {
			for i := range x {
				x[i] = s.items.repair(x[i])
			}
		}
	case map[string]any:
		s.repairFields(x)
	}
	return v
}

// repairFields repairs an object's fields. Null stands for an absent field
// where the schema has neither null nor a default for it; so does an empty
// array where the schema wants at least one item.
func (s *shape) repairFields(obj map[string]any) {
	maps.DeleteFunc(obj, func(name string, v any) bool {
		direct := s.fields[name]
		if direct == nil {
			return false
		}
		v = direct.repair(v)
		obj[name] = v
		f := direct.target()
		if f == nil || s.required[name] || direct.hasDefault || f.hasDefault {
			return false
		}
		arr, ok := v.([]any)
		return v == nil && !f.allows(typeNull) || ok && len(arr) == 0 && f.nonEmpty
	})
}

// repairNumber writes a whole number as an integer where an integer is wanted,
// and takes 0 and 1 for a boolean.
func (s *shape) repairNumber(n json.Number) any {
	if s.types == typeAny {
		return n
	}
	switch {
	case s.allows(typeNumber):
	case s.allows(typeInteger):
		if i, ok := whole(n); ok {
			return i
		}
	case s.allows(typeBoolean):
		if i, ok := whole(n); ok && (i == "0" || i == "1") {
			return i == "1"
		}
	}
	return n
}

// whole returns a number without a fraction as plain digits; one that was
// written with a point or an exponent only within 64 bits, where it still is
// what the caller wrote.
func whole(n json.Number) (json.Number, bool) {
	if !strings.ContainsAny(string(n), ".eE") {
		if n == "-0" {
			n = "0"
		}
		return n, true
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return "", false
	}
	return json.Number(r.Num().String()), true
}

// repairText reads a text that stands where the schema wants another type.
func (s *shape) repairText(text string) any {
	trimmed := strings.TrimSpace(text)
	if s.allows(typeArray) && strings.HasPrefix(trimmed, "[") || s.allows(typeObject) && strings.HasPrefix(trimmed, "{") {
		d := decoder{data: []byte(trimmed)}
		if v, err := d.document(); err == nil && !d.broken {
			return v
		}
		return text
	}
	if s.allows(typeInteger) {
		if n, ok := integerText(trimmed); ok {
			return n
		}
	}
	if s.allows(typeNumber) {
		if n, ok := numberText(trimmed); ok {
			return n
		}
	}
	if s.allows(typeBoolean) {
		if b, ok := words[strings.ToLower(text)]; ok {
			return b
		}
	}
	return text
}

// words are those that pydantic takes for a boolean, in any case.
var words = map[string]bool{
	"0": false, "off": false, "f": false, "false": false, "n": false, "no": false,
	"1": true, "on": true, "t": true, "true": true, "y": true, "yes": true,
}

// wholeText is what pydantic reads as an integer: a sign, underscores between
// digits, and a fraction of zeros.
var wholeText = regexp.MustCompile(`^([+-]?)0*([0-9]+(?:_[0-9]+)*)(?:\.0+)?$`)

func integerText(s string) (json.Number, bool) {
	if len(s) > maxNumber {
		return "", false
	}
	m := wholeText.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	digits := strings.TrimLeft(strings.ReplaceAll(m[2], "_", ""), "0")
	if digits == "" {
		return "0", true
	}
	return json.Number(strings.TrimPrefix(m[1], "+") + digits), true
}

// numberText reads what Python's float reads, as far as JSON can say it.
func numberText(s string) (json.Number, bool) {
	if n := numberLen([]byte(s)); n > 0 && n == len(s) {
		return json.Number(s), smallNumber([]byte(s))
	}
	if strings.ContainsAny(s, "xXpP_") { // Go's own forms
		return "", false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), true
}

// join makes one text of an array of texts, the chunks in which some models
// send a long one.
func join(chunks []any) any {
	if len(chunks) == 0 {
		return chunks
	}
	var b strings.Builder
	for _, c := range chunks {
		s, ok := c.(string)
		if !ok {
			return chunks
		}
		b.WriteString(s)
	}
	return b.String()
}

package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// number reads a number as its text.
func (d *decoder) number() (any, error) {
	rest := d.data[d.pos:]
	n := numberLen(rest)
	if n == 0 {
		d.pos++ // the minus sign
		return nil, d.unexpected("a digit")
	}
	if !smallNumber(rest[:n]) {
		return nil, d.fail(d.pos, fmt.Sprintf("a number of more than %d digits", maxNumber))
	}
	d.pos += n
	return json.Number(rest[:n]), nil
}

// numberLen returns the length of the JSON number that b begins with, 0 for
// none.
func numberLen(b []byte) int {
	digits := func(i int) int {
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	start := i
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		i = digits(i)
	}
	if i == start {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		if end := digits(i + 1); end > i+1 {
			i = end
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		j := i + 1
		if j < len(b) && (b[j] == '+' || b[j] == '-') {
			j++
		}
		if end := digits(j); end > j {
			i = end
		}
	}
	return i
}

// smallNumber reports whether arithmetic on the number stays cheap.
func smallNumber(b []byte) bool {
	if len(b) > maxNumber {
		return false
	}
	i := bytes.IndexAny(b, "eE")
	if i < 0 {
		return true
	}
	exp := 0
	for _, c := range bytes.TrimLeft(b[i+1:], "+-") {
		if exp = exp*10 + int(c-'0'); exp > maxNumber {
			return false
		}
	}
	return true
}

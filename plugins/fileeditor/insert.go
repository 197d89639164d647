package main

import (
	"strconv"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// insert puts new_str after a line. Every piece of it becomes a line of its own,
// and a last line without a line end gets one first (FE-26, FE-27).
func (e *editor) insert() (*abi.Result, error) {
	number := e.args.Get("insert_line")
	if number.Kind() != guest.KindNumber {
		return nil, fail(missing("insert_line", e.command))
	}
	newStr, ok := e.args.Str("new_str")
	if !ok {
		return nil, fail(missing("new_str", e.command))
	}
	t, err := e.readText(ranIntoRead)
	if err != nil {
		return nil, err
	}
	lines := countLines(t.Text)
	after, printed := pyInt(number)
	if after < 0 || after > int64(lines) {
		return nil, fail(invalid("insert_line", printed,
			"It should be within the range of allowed values: "+pyInts("0", strconv.Itoa(lines))))
	}
	line := int(after)
	splice := guest.Splice{At: lineStart(t.Text, line+1)}
	newStr = lf(newStr) + "\n"
	pieces := strings.Count(newStr, "\n")
	if splice.At > 0 && t.Text[splice.At-1] != '\n' {
		newStr = "\n" + newStr
	}
	splice.Insert = guest.Bytes(newStr)
	changed, err := e.edit(t, splice)
	if err != nil {
		return nil, err
	}
	first := max(0, line-contextLines) + 1
	last := min(lines, line+contextLines) + pieces
	return e.edited("The file "+e.path+" has been edited. "+catOf("a snippet of the edited file")+
		numbered(snippet(t.Text, &splice, first, last), first)+reviewInsert, changed), nil
}

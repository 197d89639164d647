package main

import (
	"strconv"

	"github.com/ohhost/ohhost/abi"
)

// A viewRange is the argument view_range: numbers as Python prints them, and
// their values, cut to what an int holds.
type viewRange struct {
	printed []string
	values  []int
}

// viewRange returns the argument, or nil where it is absent or empty.
func (e *editor) viewRange() *viewRange {
	var r viewRange
	for v := range e.args.Get("view_range").Items() {
		n, printed := pyInt(v)
		r.printed, r.values = append(r.printed, printed), append(r.values, int(n))
	}
	if len(r.values) == 0 {
		return nil
	}
	return &r
}

func (r *viewRange) invalid(hint string) error {
	return fail(invalid("view_range", pyInts(r.printed...), hint))
}

// view shows a file: an image by its name, or a text.
func (e *editor) view() (*abi.Result, error) {
	if mime := imageType(e.path); mime != "" {
		return e.viewImage(mime)
	}
	t, err := e.readText(cannotView)
	if err != nil {
		return nil, err
	}
	r := e.viewRange()
	if r == nil {
		return e.result(catOf(e.path)+numbered(t.Text, 1), false), nil
	}
	if len(r.values) != 2 {
		return nil, r.invalid("It should be a list of two integers.")
	}
	lines := countLines(t.Text)
	first, last := r.values[0], r.values[1]
	if first < 1 || first > lines {
		return nil, r.invalid("Its first element `" + r.printed[0] + "` should be within the range of lines of the file: " +
			pyInts("1", strconv.Itoa(lines)) + ".")
	}
	note := ""
	switch {
	case last == -1:
		last = lines
	case last > lines:
		n := strconv.Itoa(lines)
		note = "NOTE: We only show up to " + n + " since there're only " + n + " lines in this file.\n"
		last = lines
	case last < first:
		return nil, r.invalid("Its second element `" + r.printed[1] + "` should be greater than or equal to the first element `" +
			r.printed[0] + "`.")
	}
	from := lineStart(t.Text, first)
	shown := t.Text[from:]
	shown = shown[:lineStart(shown, last-first+2)]
	if len(shown) > 0 && shown[len(shown)-1] == '\n' {
		shown = shown[:len(shown)-1]
	}
	return e.result(note+catOf(e.path)+numbered(shown, first), false), nil
}

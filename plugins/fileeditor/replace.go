package main

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// replace puts new_str in the one place where old_str stands.
func (e *editor) replace() (*abi.Result, error) {
	oldStr, ok := e.args.Str("old_str")
	if !ok {
		return nil, fail(missing("old_str", e.command))
	}
	newStr, ok := e.args.Str("new_str")
	if !ok {
		return nil, fail(missing("new_str", e.command))
	}
	if lf(oldStr) == lf(newStr) {
		return nil, fail(invalid("new_str", newStr, "No replacement was performed. `new_str` and `old_str` must be different."))
	}
	t, err := e.readText(ranIntoRead)
	if err != nil {
		return nil, err
	}
	splice, note, err := e.find(t.Text, oldStr, newStr)
	if err != nil {
		return nil, err
	}
	changed, err := e.edit(t, *splice)
	if err != nil {
		return nil, err
	}
	line := 1 + bytes.Count(t.Text[:splice.At], []byte{'\n'})
	first := max(0, line-contextLines) + 1
	last := line + contextLines + bytes.Count(splice.Insert, []byte{'\n'})
	return e.edited("The file "+e.path+" has been edited. "+catOf("a snippet of "+e.path)+
		numbered(snippet(t.Text, splice, first, last), first)+reviewReplace+note, changed), nil
}

// lf makes every CRLF a newline. A lone CR stays.
func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// find looks for the one place of oldStr, at first as it is and then without the
// white space around it, and returns what to replace there and the note that the
// answer ends with. White space that had to be dropped from oldStr is dropped
// from newStr where that has the same (FE-18).
func (e *editor) find(text []byte, oldStr, newStr string) (*guest.Splice, string, error) {
	pattern, insert := lf(oldStr), lf(newStr)
	stripped := pyStrip(pattern)
	shown, note := oldStr, ""
	at := bytes.Index(text, guest.Bytes(pattern))
	if at < 0 {
		lead := pattern[:strings.Index(pattern, stripped)]
		trail := pattern[len(lead)+len(stripped):]
		if stripped == "" {
			lead, trail = pattern, ""
		}
		if lead != "" {
			insert = strings.TrimPrefix(insert, lead)
		}
		if trail != "" {
			insert = strings.TrimSuffix(insert, trail)
		}
		pattern, shown, note = stripped, pyStrip(oldStr), noteStripped
		at = bytes.Index(text, guest.Bytes(pattern))
	}
	if at < 0 {
		return nil, "", fail("No replacement was performed, old_str `" + shown + "` did not appear verbatim in " + e.path + "." +
			hint(text, lf(oldStr)))
	}
	switch {
	case oldStr == "":
		note = noteEmpty
	case pattern == "":
		note = noteStripEmpty
	}
	unique := len(text) == 0
	if pattern != "" {
		unique = bytes.Index(text[at+len(pattern):], guest.Bytes(pattern)) < 0
	}
	if !unique {
		several := "No replacement was performed. Multiple occurrences of old_str `" + shown + "` in lines " +
			matchLines(text, pattern) + ". Please ensure it is unique."
		if pattern == "" {
			several += note
		}
		return nil, "", fail(several)
	}
	return &guest.Splice{At: at, Del: len(pattern), Insert: guest.Bytes(insert)}, note, nil
}

// matchLines prints the distinct lines in which a pattern begins, found from the
// left without overlap, as a Python list. The empty pattern is everywhere.
func matchLines(text []byte, pattern string) string {
	b := []byte{'['}
	line, listed, at := 1, 0, 0
	list := func() {
		if line == listed {
			return
		}
		if listed > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(line), 10)
		listed = line
	}
	if pattern == "" {
		for list(); ; list() {
			i := bytes.IndexByte(text[at:], '\n')
			if i < 0 {
				return string(append(b, ']'))
			}
			line++
			at += i + 1
		}
	}
	for {
		i := bytes.Index(text[at:], guest.Bytes(pattern))
		if i < 0 {
			return string(append(b, ']'))
		}
		line += bytes.Count(text[at:at+i], []byte{'\n'})
		list()
		line += strings.Count(pattern, "\n")
		at += i + len(pattern)
	}
}

package main

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// viewDir lists a directory, two levels deep and without hidden entries. However
// much is in there, it holds one listing at a time, and lines that could be shown.
func (e *editor) viewDir() (*abi.Result, error) {
	if r := e.viewRange(); r != nil {
		return nil, r.invalid("The `view_range` parameter is not allowed when `path` points to a directory.")
	}
	entries, hidden, err := e.list(e.path)
	if f, ok := errors.AsType[*guest.FileError](err); ok && f.Kind == abi.ErrInvalid {
		return nil, fail(ranIntoRead(e.path, reasonTooMany))
	}
	if err != nil {
		return nil, e.fileError(err, ranIntoRead)
	}

	root := strings.TrimSuffix(e.path, "/") + "/"
	text := "Here's the files and directories up to 2 levels deep in " + e.path + ", excluding hidden items:\n" + root
	end := ""
	if hidden > 0 {
		end = "\n\n" + strconv.Itoa(hidden) + " hidden files/directories in this directory are excluded. You can use 'ls -la " +
			e.path + "' to see them."
	}

	// Of a large directory only the children that are shown are asked for: from
	// the front until there is too much, then from the back for the tail.
	front, chars := []byte(text), utf8.RuneCountInString(text)
	shown := 0
	for ; shown < len(entries) && chars <= limit; shown++ {
		lines := e.entryLines(root, &entries[shown])
		front, chars = append(front, lines...), chars+utf8.RuneCount(lines)
	}
	for i := len(entries) - 1; i >= shown && utf8.RuneCountInString(end) < limit; i-- {
		end = string(e.entryLines(root, &entries[i])) + end
	}
	return e.result(clip(string(front)+end, noticeDir), false), nil
}

// entryLines returns the lines of an entry and, for a directory, of what list
// returns of it, each with a newline before it.
func (e *editor) entryLines(root string, entry *abi.Entry) []byte {
	b := appendLine(nil, root, entry)
	if entry.Target != abi.TypeDir {
		return b
	}
	children, _, err := e.list(root + entry.Name)
	if err != nil { // one that cannot be read is shown without children
		return b
	}
	parent := root + entry.Name + "/"
	for i := range children {
		b = appendLine(b, parent, &children[i])
	}
	return b
}

// large is how many entries a listing has that is worth a collection.
const large = 1 << 16

// list returns the entries of a directory that are not hidden, by name and as
// outermost leaves them, and how many are hidden.
func (e *editor) list(path string) (visible []abi.Entry, hidden int, err error) {
	if e.listed >= large {
		// The collector would keep the last listing beside this one: it does not
		// know how little memory a module has.
		runtime.GC()
	}
	entries, err := e.files.List(path, &guest.ListOptions{Follow: true})
	e.listed = len(entries)
	visible = slices.DeleteFunc(entries, func(entry abi.Entry) bool { return entry.Name[0] == '.' })
	return outermost(visible, path), len(entries) - len(visible), err
}

// outermost returns the entries of a directory or, where there are too many to be
// shown, a copy of those at either end: as many as have over limit characters.
// What clip shows of their lines is what it would show of all.
func outermost(entries []abi.Entry, path string) []abi.Entry {
	// A line is a newline, the path, a slash and a name.
	shortest := utf8.RuneCountInString(strings.TrimSuffix(path, "/")) + 3
	n := limit/shortest + 1
	if len(entries) <= 2*n {
		return entries
	}
	outer := slices.Concat(entries[:n], entries[len(entries)-n:])
	for i := range outer {
		outer[i].Name = strings.Clone(outer[i].Name) // a name would keep the whole listing
	}
	return outer
}

// appendLine appends the line of an entry, with a newline before it.
func appendLine(b []byte, parent string, entry *abi.Entry) []byte {
	b = append(b, '\n')
	b = appendUTF8(b, parent)
	b = appendUTF8(b, entry.Name)
	if entry.Target == abi.TypeDir {
		b = append(b, '/')
	}
	return b
}

// appendUTF8 shows each byte that belongs to no character as U+FFFD.
func appendUTF8(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(b, s...)
	}
	return append(b, string([]rune(s))...)
}

package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// viewDir lists a directory, two levels deep and without hidden entries.
func (e *editor) viewDir() (*abi.Result, error) {
	if r := e.viewRange(); r != nil {
		return nil, r.invalid("The `view_range` parameter is not allowed when `path` points to a directory.")
	}
	entries, err := e.files.List(e.path, &guest.ListOptions{Follow: true, Sort: true})
	if err != nil {
		return nil, e.fileError(err, ranIntoRead)
	}
	visible, hidden := entries[:0], 0
	for _, entry := range entries {
		if entry.Name[0] == '.' {
			hidden++
			continue
		}
		visible = append(visible, entry)
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
	for ; shown < len(visible) && chars <= limit; shown++ {
		lines := e.entryLines(root, &visible[shown])
		front, chars = append(front, lines...), chars+utf8.RuneCountInString(lines)
	}
	if shown == len(visible) {
		return e.result(clip(string(front)+end, noticeDir), false), nil
	}
	for i := len(visible) - 1; i >= shown && utf8.RuneCountInString(end) < limit; i-- {
		end = e.entryLines(root, &visible[i]) + end
	}
	return e.result(clip(string(front)+end, noticeDir), false), nil
}

// entryLines returns the lines of an entry and, for a directory, of what is in
// it, each with a newline before it.
func (e *editor) entryLines(root string, entry *abi.Entry) string {
	line := entryLine(root, entry)
	if entry.Target != abi.TypeDir {
		return line
	}
	children, err := e.files.List(root+entry.Name, &guest.ListOptions{Follow: true, Sort: true})
	if err != nil { // one that cannot be read is shown without children
		return line
	}
	b := []byte(line)
	for i := range children {
		if children[i].Name[0] != '.' {
			b = append(b, entryLine(root+entry.Name+"/", &children[i])...)
		}
	}
	return string(b)
}

func entryLine(parent string, entry *abi.Entry) string {
	end := ""
	if entry.Target == abi.TypeDir {
		end = "/"
	}
	return "\n" + validUTF8(parent+entry.Name) + end
}

// validUTF8 shows each byte that belongs to no character as U+FFFD.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

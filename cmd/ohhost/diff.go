package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ohhost/ohhost/tool"
)

// A diff collects what a call changed as a unified diff that git apply and
// patch -p1 take in the workspace.
type diff struct {
	workspace string
	b         strings.Builder
}

func newDiff(workspace string) *diff { return &diff{workspace: workspace} }

// add is a Call's Changed.
func (d *diff) add(c tool.Change) {
	if bytes.Equal(c.Before, c.After) && (c.Before == nil) == (c.After == nil) {
		return
	}
	name := d.name(c.Path)
	before, after := label("a/", name, c.Before), label("b/", name, c.After)
	if isBinary(c.Before) || isBinary(c.After) {
		fmt.Fprintf(&d.b, "Binary files %s and %s differ\n", before, after)
		return
	}
	text := udiff.Unified(before, after, string(c.Before), string(c.After))
	if text == "" { // an empty file appeared or vanished
		text = fmt.Sprintf("--- %s\n+++ %s\n", before, after)
	}
	d.b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		d.b.WriteByte('\n')
	}
}

// String returns the diff so far.
func (d *diff) String() string { return d.b.String() }

// name is a path relative to the workspace, or below the root where it is
// outside.
func (d *diff) name(path string) string {
	if rel, err := filepath.Rel(d.workspace, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return strings.TrimPrefix(filepath.ToSlash(path), "/")
}

// label writes a file's name as git does: /dev/null where there is no file, in
// quotes where a character of it would break the line.
func label(side, name string, content []byte) string {
	if content == nil {
		return "/dev/null"
	}
	if strings.IndexFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '"' || r == '\\' || r == utf8.RuneError }) < 0 {
		return side + name
	}
	var b strings.Builder
	b.WriteString(`"` + side)
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// isBinary looks for a NUL at the start, as git and grep do.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// paint colours a diff.
func paint(diff string) string {
	if diff == "" {
		return ""
	}
	const bold, red, green, cyan, reset = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[m"
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text, hasEnd := strings.CutSuffix(line, "\n")
		color := ""
		switch {
		case strings.HasPrefix(text, "--- "), strings.HasPrefix(text, "+++ "):
			color = bold
		case strings.HasPrefix(text, "@@"):
			color = cyan
		case strings.HasPrefix(text, "-"):
			color = red
		case strings.HasPrefix(text, "+"):
			color = green
		}
		if color != "" {
			text = color + text + reset
		}
		b.WriteString(text)
		if hasEnd {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

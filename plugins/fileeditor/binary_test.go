package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/guest"
)

func TestIsBinary(t *testing.T) {
	t.Parallel()
	text := func(head string, control bool) *guest.FileText {
		return &guest.FileText{Head: []byte(head), Control: control, Encoding: "utf-8"}
	}
	broken := func(head string) *guest.FileText {
		return &guest.FileText{Head: []byte(head), Undecodable: "reason"}
	}
	utf16 := text("\xff\xfea\x00\x01\x00\x02\x00", true)
	utf16.Encoding = "utf-16le"
	for _, tt := range []struct {
		name, path string
		file       *guest.FileText
		want       bool
	}{
		{"clean text with a binary name", "f.pdf", text("just text", false), false},
		{"clean text that begins like a signature", "f.txt", text("BM and MZ", false), false},
		{"empty", "f.zip", text("", false), false},
		{"one escape, binary name", "f.db", text("a\x1b[1m", true), true},
		{"binary name in upper case", "F.DB", text("a\x1b[1m", true), true},
		{"one escape", "f.log", text("a\x1b[1m", true), false},
		{"coloured log", "f.log", text(strings.Repeat("\x1b[1mx\b", 50), true), false},
		{"one NUL", "f.txt", text("a\x00b\n", true), false},
		{"control only later", "f.txt", text("aaa", true), false},
		{"two NULs", "f.txt", text("a\x00\x00b\n", true), true},
		{"NULs of UTF-16", "f.txt", utf16, false},
		{"DEL and others", "f.txt", text("a\x7f\x01", true), true},
		{"ELF", "f", text("\x7fELF\x02", true), true},
		{"gzip", "f", broken("\x1f\x8b\x08"), true},
		{"PNG", "f.txt", broken("\x89PNG\r\n\x1a\n"), true},
		{"PNG with an image's name", "f.png", broken("\x89PNG\r\n\x1a\n"), false},
		{"undecodable with a clean head", "f.log", broken("plain"), false},
		{"undecodable, head cut in a character", "f.log", broken("plain \xe6\xb5"), false},
		{"undecodable with broken bytes", "f.log", broken("pl\xffain"), true},
		{"undecodable, broken at the end of the head", "f.log", broken("plain\xff"), true},
	} {
		require.Equal(t, tt.want, isBinary("/w/"+tt.path, tt.file), tt.name)
	}
}

func TestBinaryExtensions(t *testing.T) {
	t.Parallel()
	words := strings.Fields(binaryExtensions)
	require.Len(t, words, 138)
	require.Equal(t, " "+strings.Join(words, " ")+" ", binaryExtensions)
	for path, want := range map[string]bool{"a.3ds": true, "a.zst": true, "a.Z": true, "a.txt": false, "a": false, "zip": false, ".zip": false, "a.3ds 7z": false} {
		require.Equal(t, want, hasBinaryExtension(path), path)
	}
}

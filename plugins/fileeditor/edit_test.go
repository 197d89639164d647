package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

const changedMeanwhile = "Ran into the file was changed since it was read while trying to write to "

// TestChangedMeanwhile changes the file between the tool's read and its write.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args map[string]any
		want func(path string) string
	}{
		{map[string]any{"command": "str_replace", "old_str": "a", "new_str": "b"}, func(p string) string { return changedMeanwhile + p }},
		{map[string]any{"command": "insert", "insert_line": 0, "new_str": "b"}, func(p string) string { return changedMeanwhile + p }},
		{map[string]any{"command": "undo_edit"}, func(p string) string {
			return "The last edit to " + p + " was not undone: the file has been changed since this tool wrote it. The file is left as it is."
		}},
		{map[string]any{"command": "create", "file_text": "x"}, func(p string) string {
			return "Invalid `path` parameter: " + p + ". File already exists at: " + p + ". Cannot overwrite files using command `create`."
		}},
	} {
		w := newWorkspace(t)
		path := w.root + "/f"
		if tt.args["command"] != "create" {
			w.write("f", "a\n")
		}
		w.host.before = func() { w.write("f", "other\n") }
		tt.args["path"] = path
		got := w.call(tt.args)
		require.True(t, got.isError)
		require.Equal(t, tt.want(path), got.text(t))
		require.Equal(t, "other\n", w.read("f"))
	}
}

func TestStripRetry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, old, new, want string }{
		{"both ends", "x\n  y\n", "\t y \n", "\t z \n", "x\n  z\n"},
		{"start only", "  y\n", "   y", "   z ", "  z \n"},
		{"end only", "  y\n", "y   ", "z   ", "  z\n"},
		{"another white space stays", "  y\n", "\ty", " z", "   z\n"},
		{"CRLF around it", "a\nb\n", "\r\n\r\nb", "\r\n\r\nc", "a\nc\n"},
		{"new text shorter than what is dropped", "a\n", "   a   ", "   ", "\n"},
	} {
		w := newWorkspace(t)
		w.write("f", tt.text)
		got := w.call(map[string]any{"command": "str_replace", "path": w.root + "/f", "old_str": tt.old, "new_str": tt.new})
		require.False(t, got.isError, tt.name)
		require.True(t, strings.HasSuffix(got.text(t), reviewReplace+noteStripped), tt.name)
		require.Equal(t, tt.want, w.read("f"), tt.name)
	}
}

func TestReplaceErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, old, new, want string }{
		{"several after the retry", "a\na\n", " a", "b", "No replacement was performed. Multiple occurrences of old_str `a` in lines [1, 2]. Please ensure it is unique."},
		{"CRLF echoed as sent", "x\n", " a\r\nb ", "c", "No replacement was performed, old_str `a\r\nb` did not appear verbatim in PATH."},
		{"near match", "a\u00a0b = 1\n", "a b = 1", "a b = 2", "No replacement was performed, old_str `a b = 1` did not appear verbatim in PATH." +
			"\nNOTE: Line 1 is a near match: it has U+00A0 at column 2 where `old_str` has U+0020."},
		{"gutter", "print(1)\n", "     1\tprint", "x", "No replacement was performed, old_str `1\tprint` did not appear verbatim in PATH." + noteGutter},
	} {
		w := newWorkspace(t)
		w.write("f", tt.text)
		got := w.call(map[string]any{"command": "str_replace", "path": w.root + "/f", "old_str": tt.old, "new_str": tt.new})
		require.True(t, got.isError, tt.name)
		require.Equal(t, strings.ReplaceAll(tt.want, "PATH", w.root+"/f"), got.text(t), tt.name)
		require.Equal(t, tt.text, w.read("f"), tt.name)
	}
}

func TestViewRangeBeyondInt64(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.write("f", "a\nb\n")
	view := func(r string) string {
		return w.call(map[string]any{"command": "view", "path": w.root + "/f", "view_range": rawJSON(r)}).text(t)
	}
	require.Equal(t, "Invalid `view_range` parameter: [99999999999999999999, 2]. Its first element `99999999999999999999` should be within the range of lines of the file: [1, 2].",
		view("[99999999999999999999, 2]"))
	require.Equal(t, "NOTE: We only show up to 2 since there're only 2 lines in this file.\n"+catOf(w.root+"/f")+"     2\tb\n", view("[2.0, 1e30]"))
	require.Equal(t, "Invalid `view_range` parameter: [1, -2]. Its second element `-2` should be greater than or equal to the first element `1`.", view("[1, -2]"))
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestImageTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.write("i.png", "")
	require.NoError(t, os.Truncate(w.root+"/i.png", maxSize+1))
	require.Equal(t, "File validation failed for "+w.root+"/i.png: File is too large (10.0MB). Maximum allowed size is 10MB.",
		w.call(map[string]any{"command": "view", "path": w.root + "/i.png"}).text(t))
}

// TestServiceErrors maps what the fake service never says.
func TestServiceErrors(t *testing.T) {
	t.Parallel()
	e := &editor{path: "/w/a b"}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&guest.FileError{Kind: abi.ErrEncodingUnknown}, "Ran into the file's encoding is not known while trying to write to /w/a b"},
		{&guest.FileError{Kind: abi.ErrOS, Errno: 28, Message: "No space left on device"},
			"Ran into [Errno 28] No space left on device: '/w/a b' while trying to write to /w/a b"},
		{&guest.FileError{Kind: abi.ErrQuota, Message: "the history is full"}, "Ran into the history is full while trying to write to /w/a b"},
		{&guest.FileError{Kind: abi.ErrTooLarge, Size: 12 << 20}, "File validation failed for /w/a b: File is too large (12.0MB). Maximum allowed size is 10MB."},
	} {
		require.Equal(t, &guest.ToolError{Text: tt.want}, e.fileError(tt.err, ranIntoWrite))
	}
	denied := &guest.DeniedError{Path: "/w/a b", Why: "protected"}
	require.Equal(t, denied, e.fileError(denied, ranIntoWrite))
	require.Equal(t, "\nNOTE: The new text cannot be written in the file's encoding (windows-1251); the whole file is now UTF-8.", noteConverted("windows-1251"))
}

func TestLargeFile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.write("f", strings.Repeat("0123456789abcde\n", maxSize/16-1)+"MARK 456789abcd\n")
	got := w.call(map[string]any{"command": "str_replace", "path": w.root + "/f", "old_str": "MARK", "new_str": "mark"})
	require.False(t, got.isError)
	require.Contains(t, got.text(t), "\n655360\tmark 456789abcd\n655361\t\n")
	got = w.call(map[string]any{"command": "insert", "path": w.root + "/f", "insert_line": 0, "new_str": "x"})
	require.Equal(t, "File validation failed for "+w.root+"/f: File is too large (10.0MB). Maximum allowed size is 10MB.", got.text(t))
}

package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FE-31: a long view keeps head and tail; the tail is numbered on from the
// notice, as the seed does.
func TestFE31LongView(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		var all []string
		for i := range 5000 {
			all = append(all, "line"+strconv.Itoa(i+1))
		}
		text := strings.Join(all, "\n") + "\n"
		w.write("many.txt", text, 0o644)
		view, isError := answerText(t, w.call("view", "many.txt"))
		require.False(t, isError)
		require.Equal(t, w.wantView("many.txt", text), view)
		require.Contains(t, view, "\n     1\tline1\n     2\tline2\n")
		require.Contains(t, view, "\n   999\tline4127\n", "the case's own number")
		require.Contains(t, view, "\tline5000\n")

		// A range is cut alike, and so are the text of an undo and a long snippet.
		shown := strings.Join(all[99:4900], "\n")
		w.ok("Here's the result of running `cat -n` on "+w.path("many.txt")+":\n"+wantCat(shown, 100), "view", "many.txt", "view_range", []int{100, 4900})

		long := strings.Repeat("0123456789\n", 2000)
		w.ok(w.wantReplaced("many.txt", "line3001\nline3002\nline3003\n"+long+"line3005\nline3006\nline3007\nline3008\nline3009\n", 3001),
			"str_replace", "many.txt", "old_str", "line3004\n", "new_str", long)
		w.ok(w.wantUndone("many.txt", text), "undo_edit", "many.txt")
		require.Equal(t, text, w.read("many.txt"))
	})
}

// FE-31: exactly at the limit nothing is cut; lengths are characters, not bytes.
func TestFE31Limit(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for _, char := range []string{"x", "é", "测", "😀"} {
			text := strings.Repeat(char, 15999) + "\n"
			w.write("at.txt", text, 0o644)
			view, _ := answerText(t, w.call("view", "at.txt"))
			require.Equal(t, "Here's the result of running `cat -n` on "+w.path("at.txt")+":\n     1\t"+strings.Repeat(char, 15999)+"\n     2\t\n", view)

			w.write("over.txt", char+text, 0o644)
			view, _ = answerText(t, w.call("view", "over.txt"))
			require.Equal(t, "Here's the result of running `cat -n` on "+w.path("over.txt")+":\n     1\t"+
				strings.Repeat(char, 7875)+wantNotice+strings.Repeat(char, 7874)+"\n     2\t\n", view)
		}
	})
}

// FE-32: one very long line does not flood the context, and the next line can be
// edited.
func TestFE32LongLine(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		line := strings.Repeat("x", 50000)
		w.write("min.js", line+"\nsecond\n", 0o644)
		view, isError := answerText(t, w.call("view", "min.js"))
		require.False(t, isError)
		require.Equal(t, "Here's the result of running `cat -n` on "+w.path("min.js")+":\n     1\t"+
			strings.Repeat("x", 7875)+wantNotice+strings.Repeat("x", 7875-len("\nsecond\n"))+"\n     2\tsecond\n     3\t\n", view)
		require.Less(t, len(view), 16500+len(w.Root))
		w.ok("Here's the result of running `cat -n` on "+w.path("min.js")+":\n     2\tsecond\n", "view", "min.js", "view_range", []int{2, 2})

		w.ok(w.wantReplaced("min.js", line+"\n2nd\n", 1), "str_replace", "min.js", "old_str", "second", "new_str", "2nd")
		require.Equal(t, line+"\n2nd\n", w.read("min.js"))
		w.edits("insert", "min.js", "insert_line", 1, "new_str", "between")
		require.Equal(t, line+"\nbetween\n2nd\n", w.read("min.js"))
		w.edits("undo_edit", "min.js")
		w.edits("undo_edit", "min.js")
		require.Equal(t, line+"\nsecond\n", w.read("min.js"))
	})
}

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHint(t *testing.T) {
	t.Parallel()
	near := func(line, has, column, want string) string {
		return "\nNOTE: Line " + line + " is a near match: it has " + has + " at column " + column + " where `old_str` has " + want + "."
	}
	for _, tt := range []struct{ name, text, old, want string }{
		{"FE-12", "a\u00a0b = 1\n", "a b = 1", near("1", "U+00A0", "2", "U+0020")},
		{"second difference too", "x\na\u00a0b\u3000c\n", "a b c", near("2", "U+00A0", "2", "U+0020")},
		{"columns count characters", "日本 é\u2003x y\n", "é x y", near("1", "U+2003", "5", "U+0020")},
		{"tab and blank", "if x:\n\tfoo()\n", " foo()", near("2", "U+0009", "1", "U+0020")},
		{"in a later line", "a b\nc\td\n", "a b\nc d", near("2", "U+0009", "2", "U+0020")},
		{"only without the blanks around it", "a\u00a0b\n", "   a b\n\n", near("1", "U+00A0", "2", "U+0020")},
		{"not one for one", "a  b\n", "a b", ""},
		{"zero-width", "a\u200bb\n", "a b", ""},
		{"case", "A b\n", "a b", ""},
		{"quotes", "“a b”\n", "\"a b\"", ""},
		{"no white space", "abc\n", "abd", ""},
		{"FE-40", "print(\"a\\nb\")\n", "     1\tprint", noteGutter},
		{"gutter on every line", "a\nb\n", "     1\ta\n     2\tb\n", noteGutter},
		{"gutter on some lines", "a\nb\n", "     1\ta\nb\n", ""},
		{"number without a tab", "x\n", "1 a", ""},
		{"nothing near", "x\n", "yyy", ""},
	} {
		require.Equal(t, tt.want, hint([]byte(tt.text), tt.old), tt.name)
	}
}

func TestMatchLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, pattern, want string }{
		{"a\nb\na a\n", "a", "[1, 3]"}, {"aaaa", "aa", "[1]"}, {"x\ny\nx\ny\nx\ny\n", "x\ny\n", "[1, 3, 5]"},
		{"a\na", "", "[1, 2]"}, {"a\n", "", "[1, 2]"}, {"", "", "[1]"},
		{"\n\n\n", "\n", "[1, 2, 3]"}, {"\n\n\n\n", "\n\n", "[1, 3]"},
	} {
		require.Equal(t, tt.want, matchLines([]byte(tt.text), tt.pattern), "%q in %q", tt.pattern, tt.text)
	}
}

// TestLargeSearches would take minutes if any of these were not linear.
func TestLargeSearches(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("aaaaaaa a\n", 1<<20))
	pattern := strings.Repeat("aaaaaaa a\n", 1<<19) + "b"
	require.Empty(t, hint(text, pattern))
	require.Equal(t, 1<<20, strings.Count(matchLines(text, " a\n"), ",")+1)
	require.Contains(t, hint(text, strings.Repeat("aaaaaaa\ta\n", 1<<19)), "Line 1 is a near match: it has U+0020 at column 8")
}

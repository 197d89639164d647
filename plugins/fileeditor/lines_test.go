package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/guest"
)

func TestNotices(t *testing.T) {
	t.Parallel()
	require.Equal(t, 250, utf8.RuneCountInString(noticeFile))
	require.Equal(t, 183, utf8.RuneCountInString(noticeDir))
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "é", "日", "😀"} {
		fits := strings.Repeat(letter, limit)
		require.Equal(t, fits, clip(fits, noticeFile))
		over := letter + "A" + strings.Repeat(letter, 40000) + "B" + letter
		want := letter + "A" + strings.Repeat(letter, 7873) + noticeFile + strings.Repeat(letter, 7873) + "B" + letter
		require.Equal(t, want, clip(over, noticeFile))
		want = letter + "A" + strings.Repeat(letter, 7907) + noticeDir + strings.Repeat(letter, 7906) + "B" + letter
		require.Equal(t, want, clip(over, noticeDir))
		require.Equal(t, limit, utf8.RuneCountInString(clip(fits+"x", noticeDir)))
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2, "a\x0bb\u2028c\u0085": 1} {
		require.Equal(t, want, countLines([]byte(text)), "%q", text)
	}
	text := []byte("a\n\nbc")
	for n, want := range []int{0, 0, 2, 3, 5, 5} {
		require.Equal(t, want, lineStart(text, n), "%d", n)
	}
}

func TestNumbered(t *testing.T) {
	t.Parallel()
	require.Equal(t, "     1\t\n", numbered(nil, 1))
	require.Equal(t, "     9\ta\n    10\t\n", numbered([]byte("a\n"), 9))
	require.Equal(t, "999999\ta\n1000000\tb\n", numbered([]byte("a\nb"), 999999))
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	text := []byte("1\n2\n3\n4\n5\n6\n7")
	for _, tt := range []struct {
		name        string
		splice      guest.Splice
		first, last int
		want        string
	}{
		{"middle", guest.Splice{At: 6, Del: 1, Insert: []byte("four")}, 3, 5, "3\nfour\n5\n"},
		{"to the end", guest.Splice{At: 12, Del: 1, Insert: []byte("x")}, 6, 99, "6\nx"},
		{"grows", guest.Splice{At: 2, Del: 2, Insert: []byte("a\nb\n")}, 1, 4, "1\na\nb\n3\n"},
		{"all gone", guest.Splice{At: 0, Del: 13}, 1, 5, ""},
		{"CR in the new text", guest.Splice{At: 2, Del: 1, Insert: []byte("a\rb\r")}, 1, 5, "1\na\nb\n3\n4\n"},
	} {
		require.Equal(t, tt.want, string(snippet(text, &tt.splice, tt.first, tt.last)), tt.name)
	}
}

// FuzzSnippet compares with the plain way: apply the splice, read the lines.
func FuzzSnippet(f *testing.F) {
	f.Add("1\n2\n3\n4", "x\ry\n", uint(2), uint(1), uint(1), uint(3))
	f.Add("", "x", uint(0), uint(0), uint(1), uint(9))
	f.Add("a\n\n\nb\n", "\r", uint(3), uint(1), uint(2), uint(2))
	f.Fuzz(func(t *testing.T, text, insert string, at, del, back, more uint) {
		text = strings.ReplaceAll(text, "\r", "")
		at %= uint(len(text)) + 1
		del %= uint(len(text)) - at + 1
		line := 1 + strings.Count(text[:at], "\n")
		first := max(1, line-int(back%9))
		last := line + int(more%9)

		edited := text[:at] + insert + text[at+del:]
		edited = strings.ReplaceAll(strings.ReplaceAll(edited, "\r\n", "\n"), "\r", "\n")
		lines := strings.SplitAfter(edited, "\n")
		want := ""
		for n, l := range lines {
			if n+1 >= first && n+1 <= last {
				want += l
			}
		}
		splice := guest.Splice{At: int(at), Del: int(del), Insert: []byte(insert)}
		require.Equal(t, want, string(snippet([]byte(text), &splice, first, last)))
	})
}

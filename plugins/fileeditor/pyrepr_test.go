package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPyRepr(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           `''`,
		"/w/x":                       `'/w/x'`,
		"it's":                       `"it's"`,
		`say "hi"`:                   `'say "hi"'`,
		`'both"`:                     `'\'both"'`,
		`back\slash`:                 `'back\\slash'`,
		"\n\r\t":                     `'\n\r\t'`,
		"\x00\x07\x1b\x7f":           `'\x00\x07\x1b\x7f'`,
		"\u0080\u00a0\u00ad\u00ff":   `'\x80\xa0\xad` + "\u00ff'",
		"é日😀":                        `'é日😀'`,
		"\u200b\u2028\u3000\ufeff":   `'\u200b\u2028\u3000\ufeff'`,
		"\ue000\U000e0001\U0010ffff": `'\ue000\U000e0001\U0010ffff'`,
		"a\xffb\xc3":                 `'a\udcffb\udcc3'`,
	} {
		require.Equal(t, want, pyRepr(in))
	}
}

func TestPyStrip(t *testing.T) {
	t.Parallel()
	// str.isspace of Python, character by character, up to U+FFFF.
	spaces := map[rune]bool{}
	for _, r := range "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000" {
		spaces[r] = true
	}
	for r := rune(0); r <= 0xffff; r++ {
		require.Equal(t, spaces[r], pySpace(r), "%U", r)
	}
	require.Equal(t, "a b\u200b", pyStrip("\u3000\x1f a b\u200b\u0085"))
	require.Equal(t, "\u200ba", pyStrip("\u200ba"))
	require.Empty(t, pyStrip(" \n"))
}

func TestPyInts(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[1, 5]", pyInts("1", "5"))
	require.Equal(t, "[3]", pyInts("3"))
}

func TestMegabytes(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]string{
		0: "0.0", 10 << 20: "10.0", 10<<20 + 1: "10.0", 11<<20 + 512<<10: "11.5",
		10<<20 + 256<<10: "10.2", 10<<20 + 768<<10: "10.8", // ties go to the even digit
		10<<20 + 256<<10 + 1: "10.3", 10<<20 + 256<<10 - 1: "10.2",
		1<<40 + 1<<19: "1048576.5", 10<<20 + 1023<<10: "11.0",
	} {
		require.Equal(t, want, megabytes(size), "%d", size)
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FE-09: a Latin-1 byte far from the edit, also beyond the first mebibyte, which
// is all that the detection of an encoding looks at.
func TestFE09FarByte(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for _, size := range w.sizes(100<<10, 3<<19) {
			head, filler := "const x = 1;\n", strings.Repeat("// a line of plain text\n", size/24)
			w.write("l.c", head+filler+"// caf\xe9 note\n", 0o644)
			w.ok(w.wantView("l.c", head+filler+"// café note\n"), "view", "l.c")

			w.edits("str_replace", "l.c", "old_str", "const x = 1;", "new_str", "const x = 2;")
			require.Equal(t, "const x = 2;\n"+filler+"// caf\xe9 note\n", w.read("l.c"))

			w.edits("str_replace", "l.c", "old_str", "note", "new_str", "né")
			require.Equal(t, "const x = 2;\n"+filler+"// caf\xe9 n\xe9\n", w.read("l.c"))
		}
	})
}

// FE-34: a text of CJK is text wherever a window of its first bytes ends: 512,
// 1024, 8192 bytes and the mebibyte that detection looks at; also under names
// of binary kinds.
func TestFE34CutCharacters(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for _, size := range w.sizes(15_000, 1<<20+300) {
			for _, char := range []string{"ж", "测", "😀"} {
				for lead := range len(char) {
					name := []string{"c.txt", "c", "c.db", "c.bin"}[lead]
					body := strings.Repeat("a", lead) + strings.Repeat(char, size/len(char)) + "\n"
					w.write(name, body+"end\n", 0o644)
					w.ok(w.wantView(name, body+"end\n"), "view", name)
					w.ok(w.wantReplaced(name, body+"END"+char+"\n", 1), "str_replace", name, "old_str", "end", "new_str", "END"+char)
					require.Equal(t, body+"END"+char+"\n", w.read(name))
				}
			}
		}
	})
}

// FE-34, FE-08: the same for two-byte characters of Shift_JIS.
func TestFE34CutShiftJIS(t *testing.T) {
	t.Parallel()
	const (
		line = "\x82\xb1\x82\xea\x82\xcd\x83\x65\x83\x58\x83\x67\x82\xc5\x82\xb7\x81\x42\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\n"
		text = "これはテストです。日本語の文章\n"
	)
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for _, size := range w.sizes(15_000, 1<<20+30_000) {
			for lead := range 2 {
				head, count := strings.Repeat("a", lead), size/len(line)
				w.write("s.txt", head+strings.Repeat(line, count), 0o644)
				w.ok(w.wantView("s.txt", head+strings.Repeat(text, count)), "view", "s.txt")

				w.edits("insert", "s.txt", "insert_line", count, "new_str", "追加")
				require.Equal(t, head+strings.Repeat(line, count)+"\x92\xc7\x89\xc1\n", w.read("s.txt"))
			}
		}
	})
}

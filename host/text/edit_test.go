package text_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

// A change replaces the first old behind the change before it.
type change struct{ old, new string }

// splices are the changes as splices of d's text.
func splices(t testing.TB, d *text.Doc, changes []change) []text.Splice {
	var out []text.Splice
	end := 0
	for _, c := range changes {
		at := strings.Index(string(d.Text[end:]), c.old)
		require.GreaterOrEqual(t, at, 0, "%q", c.old)
		out = append(out, text.Splice{At: end + at, Del: len(c.old), Insert: []byte(c.new)})
		end += at + len(c.old)
	}
	return out
}

func TestEdit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		raw      string
		changes  []change
		wantRaw  string
		wantText string
	}{
		{"nothing", "a\r\nb\n", nil, "a\r\nb\n", "a\nb\n"},
		{"the same text", "a\r\nb\n", []change{{"a\nb\n", "a\nb\n"}}, "a\r\nb\n", "a\nb\n"},
		{"into an empty file", "", []change{{"", "x\ny"}}, "x\ny", "x\ny"},
		{"two splices", "one two three\n", []change{{"one", "1"}, {"three", "3"}}, "1 two 3\n", "1 two 3\n"},
		{"two splices at one place", "ab", []change{{"a", "x"}, {"", "y"}}, "xyb", "xyb"},

		{"FE-01", "a\r\nb\r\nc\r\n", []change{{"b", "B"}}, "a\r\nB\r\nc\r\n", "a\nB\nc\n"},
		{"FE-02", "a\r\nb\r\nc\r\n", []change{{"a\nb", "x\ny\nz"}}, "x\r\ny\r\nz\r\nc\r\n", "x\ny\nz\nc\n"},
		{"FE-03 removed", "a\r\nb\r\nc\r\n", []change{{"a\nb", "q"}}, "q\r\nc\r\n", "q\nc\n"},
		{"FE-03 inserted", "a\nb\n", []change{{"a\nb", "x\r\ny"}}, "x\ny\n", "x\ny\n"},
		{"FE-05", "\xef\xbb\xbfname = 1\nx = 2\n", []change{{"name = 1", "name = 9"}}, "\xef\xbb\xbfname = 9\nx = 2\n", "name = 9\nx = 2\n"},
		{"FE-05 top", "\xef\xbb\xbfname = 1\n", []change{{"", "# top\n"}}, "\xef\xbb\xbf# top\nname = 1\n", "# top\nname = 1\n"},
		{"FE-07 edit", gbk, []change{{"name", "nome"}}, strings.Replace(gbk, "name", "nome", 1), strings.Replace(gbkText, "name", "nome", 1)},
		{"FE-07 insert", gbk, []change{{"", "# 新\n"}}, "# \xd0\xc2\n" + gbk, "# 新\n" + gbkText},
		{"FE-08", sjis, []change{{"name", "追加\nname"}}, strings.Replace(sjis, "name", "\x92\xc7\x89\xc1\nname", 1), strings.Replace(sjisText, "name", "追加\nname", 1)},
		{"FE-09", "const x = 1;\n// caf\xe9 note\n", []change{{"x = 1", "x = 2"}}, "const x = 2;\n// caf\xe9 note\n", "const x = 2;\n// café note\n"},
		{"FE-26", "a\nb", []change{{"b", "b\nz\n"}}, "a\nb\nz\n", "a\nb\nz\n"},
		{"FE-29", "a\u2028b\nc\vd\f\u0085\n", []change{{"b\n", "b\nI\n"}}, "a\u2028b\nI\nc\vd\f\u0085\n", "a\u2028b\nI\nc\vd\f\u0085\n"},

		{"a guess takes ASCII", "int a; // \xd6\xd0\xce\xc4\n", []change{{"int", "long\n"}}, "long\n a; // \xd6\xd0\xce\xc4\n", "long\n a; // ÖÐÎÄ\n"},
		{"a guess keeps what both texts have", "int a; // \xd6\xd0\xce\xc4\n", []change{{"a; // ÖÐÎÄ", "b; // ÖÐÎÄ"}}, "int b; // \xd6\xd0\xce\xc4\n", "int b; // ÖÐÎÄ\n"},
		{"utf-16be stays", "\xfe\xff\x00a\x00\n", []change{{"a", "aé😀\n"}}, "\xfe\xff\x00a\x00\xe9\xd8\x3d\xde\x00\x00\n\x00\n", "aé😀\n\n"},
		{"utf-16le, half a pair", "\xff\xfe\x3d\xd8a\x00", []change{{"a", "b"}}, "\xff\xfe\x3d\xd8b\x00", "\ufffdb"},
		{"utf-16le, before half a unit", "\xff\xfea\x00b", []change{{"a", "é"}}, "\xff\xfe\xe9\x00b", "é\ufffd"},
		{"utf-16le, half a unit removed", "\xff\xfea\x00b", []change{{"\ufffd", "é"}}, "\xff\xfea\x00\xe9\x00", "aé"},
		{"utf-32be", "\x00\x00\xfe\xff\x00\x00\x00a", []change{{"a", "\n"}}, "\x00\x00\xfe\xff\x00\x00\x00\n", "\n"},

		{"the line end stays when the text before it goes", "a\nbb\r\nc\n", []change{{"bb", ""}}, "a\n\r\nc\n", "a\n\nc\n"},
		{"both bytes of a line end go", "a\r\nb\r\nc\n", []change{{"a\nb", "ab"}}, "ab\r\nc\n", "ab\nc\n"},
		{"a lone CR is text", "a\nb\n", []change{{"b", "x\ry"}}, "a\nx\ry\n", "a\nx\ry\n"},
		{"a lone CR before the file's LF", "a\nb\n", []change{{"b", "x\r"}}, "a\nx\r\n", "a\nx\r\n"},
		{"a lone CR before the file's CRLF", "a\r\nb\r\n", []change{{"b", "x\r"}}, "a\r\nx\r\r\n", "a\nx\r\n"},
		{"CR CR LF in new text", "a\n", []change{{"a", "x\r\r\ny"}}, "x\r\ny\n", "x\r\ny\n"},
		{"a CR file", "a\rb\r", []change{{"b", "x\ny"}}, "a\rx\ry\r", "a\nx\ny\n"},
		{"LF behind a CR that ends a line", "a\rb\nc\nd\n", []change{{"b", "\nb"}}, "a\r\r\nb\nc\nd\n", "a\n\nb\nc\nd\n"},
		{"CR and LF brought together", "a\rb\nc\nd\n", []change{{"b", ""}}, "a\r\r\nc\nd\n", "a\n\nc\nd\n"},
		{"CR inserted before an LF", "a\rb\rc\n", []change{{"c", "c\n"}}, "a\rb\rc\r\r\n", "a\nb\nc\n\n"},
		{"CR and LF brought together in utf-16", "\xff\xfea\x00\r\x00b\x00\n\x00\n\x00", []change{{"b", ""}}, "\xff\xfea\x00\r\x00\r\x00\n\x00\n\x00", "a\n\n\n"},

		{"mixed: lines that both have stay", "1\r\n2\n3\n4\r\n5\n", []change{{"1\n2\n3\n4\n", "one\n2\n3\nfour\n"}}, "one\n2\n3\nfour\r\n5\n", "one\n2\n3\nfour\n5\n"},
		{"mixed: also the odd one among them", "1\n2\r\n3\n", []change{{"1\n2\n3\n", "one\n2\nthree\n"}}, "one\n2\r\nthree\n", "one\n2\nthree\n"},
		{"mixed: a repeated line", "x\r\ny\nx\nz\n", []change{{"x\ny\nx\nz", "x\nx\nw"}}, "x\r\nx\nw\n", "x\nx\nw\n"},
		{"mixed: the rest of a line is no whole line", "ab\r\nQ\nz\n", []change{{"b\nQ", "x\nb\nR"}}, "ax\nb\nR\nz\n", "ax\nb\nR\nz\n"},
		{"mixed: new lines take the prevailing end", "a\r\nb\nc\r\nd\r\n", []change{{"b", "b1\nb2"}}, "a\r\nb1\r\nb2\nc\r\nd\r\n", "a\nb1\nb2\nc\nd\n"},

		{"a stray byte in a line that stays", "é é\n\xe9\nx\n", []change{{"é é\n\ufffd\nx", "e\n\ufffd\ny"}}, "e\n\xe9\ny\n", "e\n\ufffd\ny\n"},
		{"stray bytes in a line that changes", "é é é a\xe9b\xe8c\n", []change{{"a\ufffdb\ufffdc", "A\ufffd-\ufffdC"}}, "é é é A\xe9-\xe8C\n", "é é é A\ufffd-\ufffdC\n"},
		{"a stray byte replaced", "é é \xe9\n", []change{{"\ufffd", "é"}}, "é é é\n", "é é é\n"},
		{"stray bytes and others in CRLF", "é\r\né\r\n\xe9\r\nend\r\n", []change{{"end", "END\n"}}, "é\r\né\r\n\xe9\r\nEND\r\n\r\n", "é\né\n\ufffd\nEND\n\n"},
		// 87 90 and 81 e0 are the same character; the second is what an encoder writes.
		{"another byte sequence stays", sjis + "\x87\x90\nx\n", []change{{"≒\nx", "≒\ny"}}, sjis + "\x87\x90\ny\n", sjisText + "≒\ny\n"},
		{"also in a line between", sjis + "p\n\x87\x90\nx\n", []change{{"p\n≒\nx", "q\n≒\ny"}}, sjis + "q\n\x87\x90\ny\n", sjisText + "q\n≒\ny\n"},
		{"characters are not cut", "é\n", []change{{"é", "è"}}, "è\n", "è\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := text.Decode([]byte(tt.raw))
			require.NoError(t, err)
			before := string(d.Text)
			e, err := d.Edit(splices(t, d, tt.changes))
			require.NoError(t, err)
			require.Equal(t, tt.wantRaw, string(e.Raw))
			require.Equal(t, tt.wantText, string(e.Text))
			require.Empty(t, e.ConvertedFrom)
			require.Equal(t, before, string(d.Text))
		})
	}
}

const (
	gbk = "# \xc5\xe4\xd6\xc3\xce\xc4\xbc\xfe\nname=\xb1\xb1\xbe\xa9\n\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xb2\xe2\xca\xd4\xce\xc4\xbc\xfe" +
		"\xa3\xac\xd3\xc3\xc0\xb4\xbc\xec\xb2\xe9\xb1\xe0\xc2\xeb\xca\xc7\xb7\xf1\xb1\xa3\xc1\xf4\xa1\xa3\n"
	gbkText = "# 配置文件\nname=北京\n这是一个测试文件，用来检查编码是否保留。\n"
	cp1251  = "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xdd\xf2\xee \xf4\xe0\xe9\xeb \xf1 \xf2\xe5\xea\xf1\xf2\xee\xec."
)

// FE-10: text that does not fit turns the file into UTF-8, whole and with its
// line ends.
func TestEditConverts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		raw           string
		change        change
		wantRaw, from string
	}{
		{"FE-10", "x\n" + strings.Repeat(cp1251+"\r\n", 20), change{"x", "→"},
			"→\n" + strings.Repeat("Привет, мир! Это файл с текстом.\r\n", 20), "windows-1251"},
		{"no-fit-latin1", "\x93Hi\x94 5 \x80\n", change{"Hi", "日本"}, "“日本” 5 €\n", "windows-1252"},
		{"mixed ends", "caf\xe9\r\na\nb\rc\r\n", change{"\na", "\n→\n"}, "café\r\n→\r\n\nb\rc\r\n", "windows-1252"},
		{"a look-alike does not fit", sjis, change{"name", "¥"}, strings.Replace(sjisText, "name", "¥", 1), "shift_jis"},
		{"shift_jis", sjis, change{"name", "n한e"}, strings.Replace(sjisText, "name", "n한e", 1), "shift_jis"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := text.Decode([]byte(tt.raw))
			require.NoError(t, err)
			e, err := d.Edit(splices(t, d, []change{tt.change}))
			require.NoError(t, err)
			require.Equal(t, tt.wantRaw, string(e.Raw))
			require.Equal(t, strings.Replace(string(d.Text), tt.change.old, tt.change.new, 1), string(e.Text))
			require.Equal(t, tt.from, e.ConvertedFrom)
		})
	}
}

func TestEditEncodingUnknown(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, old, new string }{
		{"guess", "int a; // \xd6\xd0\xce\xc4\n", "int", "é"},
		{"guess, a letter that windows-1252 lacks", "int a; // \xd6\xd0\xce\xc4\n", "int", "新"},
		{"behind half a unit", "\xff\xfea\x00b", "", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := text.Decode([]byte(tt.raw))
			require.NoError(t, err)
			at := strings.Index(string(d.Text), tt.old)
			if tt.old == "" {
				at = len(d.Text)
			}
			_, err = d.Edit([]text.Splice{{At: at, Del: len(tt.old), Insert: []byte(tt.new)}})
			require.ErrorIs(t, err, text.ErrEncodingUnknown)
			require.EqualError(t, err, "the file's encoding is not known")
		})
	}
}

func TestEditRefusesSplices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		splices []text.Splice
		want    string
	}{
		{"negative offset", []text.Splice{{At: -1}}, "splice 0 at byte -1: it must begin at or after byte 0, where the one before it ends"},
		{"overlap", []text.Splice{{At: 0, Del: 3}, {At: 1}}, "splice 1 at byte 1: it must begin at or after byte 3, where the one before it ends"},
		{"descending", []text.Splice{{At: 4}, {At: 0}}, "splice 1 at byte 0: it must begin at or after byte 4, where the one before it ends"},
		{"behind the end", []text.Splice{{At: 6}}, "splice 0 at byte 6, of 0 bytes: the text has only 5 bytes"},
		{"too long", []text.Splice{{At: 4, Del: 2}}, "splice 0 at byte 4, of 2 bytes: the text has only 5 bytes"},
		{"far too long", []text.Splice{{At: 4, Del: 1<<63 - 1}}, "splice 0 at byte 4, of 9223372036854775807 bytes: the text has only 5 bytes"},
		{"negative length", []text.Splice{{At: 4, Del: -1}}, "splice 0 at byte 4, of -1 bytes: the text has only 5 bytes"},
		{"begins in a character", []text.Splice{{At: 2, Del: 1}}, "splice 0 at byte 2, of 1 bytes: it must not cut a character"},
		{"ends in a character", []text.Splice{{At: 0, Del: 2}}, "splice 0 at byte 0, of 2 bytes: it must not cut a character"},
		{"not UTF-8", []text.Splice{{At: 0, Insert: []byte("\xff")}}, "splice 0 at byte 0: the inserted text must be UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := text.Decode([]byte("aébc"))
			require.NoError(t, err)
			_, err = d.Edit(tt.splices)
			require.EqualError(t, err, tt.want)
		})
	}
}

// An edit of a large file makes the new file, its text where that differs, and
// little else.
func TestEditAllocates(t *testing.T) { // not parallel: it counts allocations
	raw := []byte(strings.Repeat("a line of text\r\n", 65_536) + "end")
	d, err := text.Decode(raw)
	require.NoError(t, err)
	at := len(d.Text) - len("end")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = d.Edit([]text.Splice{{At: at, Del: 3, Insert: []byte("END\n")}})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(raw)+len(d.Text)+65_536))
}

package text_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

// As much of a Doc as Decode decides.
type decoded struct {
	Text, Encoding string
	Certain, BOM   bool
	Stray          int
	Control        bool
	LineEnd        string
}

func decode(t testing.TB, raw string) decoded {
	d, err := text.Decode([]byte(raw))
	require.NoError(t, err)
	return decoded{string(d.Text), d.Encoding, d.Certain, d.BOM, d.Stray, d.Control, d.LineEnd}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	utf8 := func(s string) decoded { return decoded{s, "utf-8", true, false, 0, false, "\n"} }
	mark := func(s, encoding string) decoded { return decoded{s, encoding, true, true, 0, false, "\n"} }
	western := func(s string) decoded { return decoded{s, "windows-1252", true, false, 0, false, "\n"} }
	guess := func(s string) decoded { return decoded{s, "windows-1252", false, false, 0, false, "\n"} }
	tests := []struct {
		name string
		raw  string
		want decoded
	}{
		{"empty", "", utf8("")},
		{"ascii", "a\nb", utf8("a\nb")},
		{"utf-8", "é→😀\n", utf8("é→😀\n")},
		{"looks like utf-7", "+/v8- hello\n", utf8("+/v8- hello\n")},
		{"looks like iso-2022-jp", "$B(B)\n", utf8("$B(B)\n")},
		{"utf-8 bom", "\xef\xbb\xbfa\n", mark("a\n", "utf-8")},
		{"utf-8 bom only", "\xef\xbb\xbf", mark("", "utf-8")},
		{"utf-8 bom and a stray byte", "\xef\xbb\xbfa\xff\n", decoded{"a\ufffd\n", "utf-8", true, true, 1, false, "\n"}},
		{"utf-16le bom", "\xff\xfea\x00\n\x00", mark("a\n", "utf-16le")},
		{"utf-16be bom", "\xfe\xff\x00a\x00\n", mark("a\n", "utf-16be")},
		{"utf-16le bom only", "\xff\xfe", mark("", "utf-16le")},
		{"utf-16le bom, odd length", "\xff\xfea\x00b", decoded{"a\ufffd", "utf-16le", true, true, 1, false, "\n"}},
		{"utf-16le bom, half a pair", "\xff\xfe\x3d\xd8a\x00", decoded{"\ufffda", "utf-16le", true, true, 1, false, "\n"}},
		{"utf-16le bom, U+FFFD is text", "\xff\xfe\xfd\xffa\x00", mark("\ufffda", "utf-16le")},
		{"utf-16le bom, control", "\xff\xfea\x00\x1b\x00", decoded{"a\x1b", "utf-16le", true, true, 0, true, "\n"}},
		{"utf-32le bom", "\xff\xfe\x00\x00a\x00\x00\x00", mark("a", "utf-32le")},
		{"utf-32be bom", "\x00\x00\xfe\xff\x00\x00\x00a", mark("a", "utf-32be")},
		{"utf-32le bom, beyond Unicode", "\xff\xfe\x00\x00\x00\x00\x11\x00", decoded{"\ufffd", "utf-32le", true, true, 1, false, "\n"}},
		{"bare utf-16le", "h\x00i\x00\n\x00", decoded{"hi\n", "utf-16le", true, false, 0, false, "\n"}},
		{"bare utf-16be", "\x00h\x00i\x00\n", decoded{"hi\n", "utf-16be", true, false, 0, false, "\n"}},
		{"bare utf-16 with a control", "h\x00\x1b\x00", decoded{"h\x00\x1b\x00", "utf-8", true, false, 0, true, "\n"}},
		{"bare utf-16 of odd length", "h\x00i", decoded{"h\x00i", "utf-8", true, false, 0, true, "\n"}},
		{"bare utf-16 with NULs on both sides", "h\x00\x00i", decoded{"h\x00\x00i", "utf-8", true, false, 0, true, "\n"}},
		{"nul-short", "a\x00b\n", decoded{"a\x00b\n", "utf-8", true, false, 0, true, "\n"}},
		{"too few NULs for utf-16", "a\x00" + strings.Repeat("ab", 8), decoded{"a\x00" + strings.Repeat("ab", 8), "utf-8", true, false, 0, true, "\n"}},
		{"late NUL", strings.Repeat("abc\n", 300) + "\x00", decoded{strings.Repeat("abc\n", 300) + "\x00", "utf-8", true, false, 0, true, "\n"}},
		{"escape", "\x1b[1m\n", decoded{"\x1b[1m\n", "utf-8", true, false, 0, true, "\n"}},
		{"one stray byte", "é é \xe9\n", decoded{"é é \ufffd\n", "utf-8", true, false, 1, false, "\n"}},
		{"a stray sequence is one for each byte", "é é é \xf0\x9f\n", decoded{"é é é \ufffd\ufffd\n", "utf-8", true, false, 2, false, "\n"}},
		{"a stray byte and a control", "é é \xe9\x00\n", decoded{"é é \ufffd\x00\n", "utf-8", true, false, 1, true, "\n"}},
		{"U+FFFD in the file is text", "é \ufffd \xe9\n", decoded{"é \ufffd \ufffd\n", "utf-8", true, false, 1, false, "\n"}},

		{"FE-09", "const x = 1;\n// caf\xe9 note\n", western("const x = 1;\n// café note\n")},
		{"quotes", "\x93Hi\x94 \x96 it\x92s 5 \x80\x85\n", western("“Hi” – it’s 5 €…\n")},
		{"copyright", "/* Copyright \xa9 2010 */\n", western("/* Copyright © 2010 */\n")},
		{"degrees", "20\xb0C \xb1 5 \xb5m\n", western("20°C ± 5 µm\n")},
		{"German", "Die Gr\xf6\xdfe des \xdcbergangs\n", western("Die Größe des Übergangs\n")},
		{"Swedish", "R\xe4ksm\xf6rg\xe5s p\xe5 \xf6n\n", western("Räksmörgås på ön\n")},
		{"Spanish", "\xbfC\xf3mo est\xe1s, ni\xf1o?\n", western("¿Cómo estás, niño?\n")},
		{"French", "L'\xe9t\xe9, \xe0 l'h\xf4tel, \xe7a va; l\x92\x9cuvre\n", western("L'été, à l'hôtel, ça va; l’œuvre\n")},
		{"as much stray as UTF-8", "caf\xe9 \xc3\xa9\n", guess("café Ã©\n")},

		{"letters of several languages", "Gr\xf6\xdfe, \xe7a, ni\xf1o\n", guess("Größe, ça, niño\n")},
		{"Polish in windows-1250", "Za\xbf\xf3\xb3\xe6 g\xea\x9cl\xb9 ja\x9f\xf1\n", guess("Za¿ó³æ gêœl¹ jaŸñ\n")},
		{"Turkish in windows-1254", "T\xfcrk\xe7e s\xfdcak g\xfcn\n", guess("Türkçe sýcak gün\n")},
		{"German of DOS", "Gr\x94\xe1e\n", guess("Gr”áe\n")},
		{"German of the Macintosh", "Gr\x9a\xa7e\n", guess("Grš§e\n")},
		{"no character of windows-1252", "a \x81\n", decoded{"a \ufffd\n", "windows-1252", false, false, 1, false, "\n"}},
		{"two Chinese characters in GBK", "int a; // \xd6\xd0\xce\xc4\n", guess("int a; // ÖÐÎÄ\n")},

		{"FE-07", "# \xc5\xe4\xd6\xc3\xce\xc4\xbc\xfe\nname=\xb1\xb1\xbe\xa9\n\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xb2\xe2\xca\xd4\xce\xc4\xbc\xfe\xa3\xac\xd3\xc3\xc0\xb4\xbc\xec\xb2\xe9\xb1\xe0\xc2\xeb\xca\xc7\xb7\xf1\xb1\xa3\xc1\xf4\xa1\xa3\n",
			decoded{"# 配置文件\nname=北京\n这是一个测试文件，用来检查编码是否保留。\n", "gbk", true, false, 0, false, "\n"}},
		{"FE-08", sjis, decoded{sjisText, "shift_jis", true, false, 0, false, "\n"}},
		{"Greek", "\xc3\xe5\xe9\xdc \xf3\xef\xf5 \xca\xfc\xf3\xec\xe5! \xc1\xf5\xf4\xfc \xe5\xdf\xed\xe1\xe9 \xdd\xed\xe1 \xe1\xf1\xf7\xe5\xdf\xef\n",
			decoded{"Γειά σου Κόσμε! Αυτό είναι ένα αρχείο\n", "iso-8859-7", true, false, 0, false, "\n"}},
		{"Hebrew", "\xf9\xec\xe5\xed \xf2\xe5\xec\xed! \xe6\xe4\xe5 \xf7\xe5\xe1\xf5 \xe8\xf7\xf1\xe8 \xec\xe1\xe3\xe9\xf7\xe4\n",
			decoded{"שלום עולם! זהו קובץ טקסט לבדיקה\n", "windows-1255", true, false, 0, false, "\n"}},
		{"Big5", "\xb3\x6f\xac\x4f\xa4\x40\xad\xd3\xb4\xfa\xb8\xd5\xc0\xc9\xae\xd7\xa1\x41\xa5\xce\xa8\xd3\xc0\xcb\xac\x64\xbd\x73\xbd\x58\n",
			decoded{"這是一個測試檔案，用來檢查編碼\n", "big5", true, false, 0, false, "\n"}},

		{"crlf", "a\r\nb\r\n", decoded{"a\nb\n", "utf-8", true, false, 0, false, "\r\n"}},
		{"cr", "a\rb\r", decoded{"a\nb\n", "utf-8", true, false, 0, false, "\r"}},
		{"cr cr lf", "a\r\r\nb", decoded{"a\n\nb", "utf-8", true, false, 0, false, "\r"}},
		{"mixed, most CRLF", "a\nb\r\nc\r\n", decoded{"a\nb\nc\n", "utf-8", true, false, 0, false, "\r\n"}},
		{"tie, CRLF first", "a\r\nb\n", decoded{"a\nb\n", "utf-8", true, false, 0, false, "\r\n"}},
		{"tie, LF first", "a\nb\r\n", utf8("a\nb\n")},
		{"tie, CR first", "a\rb\n", decoded{"a\nb\n", "utf-8", true, false, 0, false, "\r"}},
		{"tie, the first line of neither", "a\nb\r\nc\rd\re\r\n", decoded{"a\nb\nc\nd\ne\n", "utf-8", true, false, 0, false, "\r\n"}},
		{"utf-16 crlf", "\xff\xfea\x00\r\x00\n\x00", decoded{"a\n", "utf-16le", true, true, 0, false, "\r\n"}},
		{"windows-1252 crlf", "\xe9\r\n", decoded{"é\n", "windows-1252", true, false, 0, false, "\r\n"}},
		{"FE-29", "a\u2028b\nc\vd\fe\u0085f\u2029\n", utf8("a\u2028b\nc\vd\fe\u0085f\u2029\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, decode(t, tt.raw))
		})
	}
}

const (
	sjis = "# \x90\xdd\x92\xe8\x83t\x83@\x83C\x83\x8b\nname=\x93\x8c\x8b\x9e\n\x82\xb1\x82\xea\x82\xcd\x83e\x83X\x83g\x82\xc5\x82\xb7\x81B" +
		"\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xf0\x82\xa2\x82\xad\x82\xc2\x82\xa9\x8f\x91\x82\xab\x82\xdc\x82\xb7\x81B\n"
	sjisText = "# 設定ファイル\nname=東京\nこれはテストです。日本語の文章をいくつか書きます。\n"
)

// FE-34: where a window ends in a character makes no difference.
func TestDecodeLongCJK(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "a", "ab"} {
		for _, n := range []int{170, 341, 2730, 5000} {
			s := head + strings.Repeat("测", n) + "\n"
			require.Equal(t, decoded{s, "utf-8", true, false, 0, false, "\n"}, decode(t, s))
		}
	}
	long := strings.Repeat(sjis, 20_000) // over the window of the detector
	require.Equal(t, decoded{strings.Repeat(sjisText, 20_000), "shift_jis", true, false, 0, false, "\n"}, decode(t, long))
}

// A guess for the head is none where the rest is no text in that encoding.
func TestDecodeVerifiesGuess(t *testing.T) {
	t.Parallel()
	d, err := text.Decode([]byte(strings.Repeat(sjis, 20_000) + "\x82\n"))
	require.NoError(t, err)
	require.Equal(t, "windows-1252", d.Encoding)
	require.False(t, d.Certain)
}

func TestDecodeUndecodable(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"undecodable-view", strings.Repeat("a text line of plain ASCII\n", 20) + "colour \x1b[31mred\x1b[0m and one bad byte \xff here\n",
			"'utf-8' codec can't decode byte 0xff in position 577: invalid start byte"},
		{"gzip", "\x1f\x8b\x08\x00", "'utf-8' codec can't decode byte 0x8b in position 1: invalid start byte"},
		{"delete", "\xe9\x7f", "'utf-8' codec can't decode byte 0xe9 in position 0: invalid continuation byte"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := text.Decode([]byte(tt.raw))
			var undecodable *text.UndecodableError
			require.ErrorAs(t, err, &undecodable)
			require.Equal(t, tt.want, undecodable.Reason)
			require.EqualError(t, err, tt.want)
		})
	}
}

// The text of a UTF-8 file with LF line ends is the file's own bytes, and an
// append to it does not write over them.
func TestDecodeDoesNotCopy(t *testing.T) { // not parallel: it counts allocations
	raw := []byte("\xef\xbb\xbfé\n")
	d, err := text.Decode(raw)
	require.NoError(t, err)
	require.Same(t, &raw[3], &d.Text[0])
	require.Equal(t, len(d.Text), cap(d.Text))
	large := bytes.Repeat([]byte("a line of text\n"), 700_000)
	require.LessOrEqual(t, testing.AllocsPerRun(5, func() { _, _ = text.Decode(large) }), 1.0)
}

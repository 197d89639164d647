package text_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

// Whatever the bytes are: Decode does not panic, its text is UTF-8 with LF line
// ends, and an edit that changes nothing gives the bytes back.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "a\r\nb\rc\n", "\xef\xbb\xbfa", "\xff\xfea\x00\r\x00\n\x00", "\xff\xfe\x00\x00a\x00\x00\x00\x01", "h\x00i\x00",
		"é é \xe9\r\n", sjis, gbk, cp1251, "caf\xe9", "\x1b\xff", "\xff\xfe\x3d\xd8b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		given := bytes.Clone(raw)
		d, err := text.Decode(raw)
		if err != nil {
			require.ErrorAs(t, err, new(*text.UndecodableError))
			require.False(t, utf8.Valid(raw))
			return
		}
		require.True(t, utf8.Valid(d.Text))
		require.NotContains(t, string(d.Text), "\r")
		e, err := d.Edit([]text.Splice{{Del: len(d.Text), Insert: d.Text}})
		require.NoError(t, err)
		require.Equal(t, given, e.Raw)
		require.Equal(t, d.Text, e.Text)

		// Every character of the text has its place in the bytes: what is
		// behind it is copied from there.
		if len(d.Text) > 0 {
			_, n := utf8.DecodeLastRune(d.Text)
			e, err = d.Edit([]text.Splice{{Del: len(d.Text) - n}})
			require.NoError(t, err)
			kept := e.Raw
			if d.BOM {
				kept = kept[bomLength(d):]
			}
			require.NotEmpty(t, kept)
			require.True(t, bytes.HasSuffix(given, kept))
		}
		require.Equal(t, given, raw)
	})
}

func bomLength(d *text.Doc) int {
	return map[string]int{"utf-8": 3, "utf-16le": 2, "utf-16be": 2, "utf-32le": 4, "utf-32be": 4}[d.Encoding]
}

// A random text in one of the encodings with a byte order mark, or in UTF-8, and
// two random splices: the new file, decoded again, reads as the text spliced,
// and the bytes before and behind the splices are the old ones.
func FuzzEdit(f *testing.F) {
	f.Add(uint8(0), "a\r\nb\rc\n", uint16(1), uint16(1), "x\ny", uint16(1), uint16(1), "")
	f.Add(uint8(1), "é\r\n\r\nb\n", uint16(0), uint16(2), "\n", uint16(0), uint16(0), "😀")
	f.Add(uint8(2), "a\rb\n", uint16(2), uint16(1), "", uint16(0), uint16(1), "z\n")
	f.Add(uint8(3), "日本\n語\r\n", uint16(1), uint16(1), "\n\n", uint16(2), uint16(0), "x")
	f.Add(uint8(4), "a\r\rb\r", uint16(1), uint16(1), "\n", uint16(1), uint16(0), "\r\n")
	f.Add(uint8(5), "x\r\ny\n", uint16(3), uint16(9), "w", uint16(0), uint16(0), "")
	f.Fuzz(func(t *testing.T, encoding uint8, s string, at1, del1 uint16, ins1 string, at2, del2 uint16, ins2 string) {
		if !utf8.ValidString(s) || !utf8.ValidString(ins1) || !utf8.ValidString(ins2) {
			return
		}
		if strings.ContainsAny(s+ins1+ins2, "\x00\ufeff") {
			return // may read as another encoding
		}
		if len(s) > 1<<9 {
			return // headOf is slow
		}
		if strings.Contains(strings.ReplaceAll(ins1+"|"+ins2, "\r\n", ""), "\r") {
			return // a lone CR is text that reads as a line end
		}
		raw := encode(encoding, s)
		d, err := text.Decode(raw)
		require.NoError(t, err)
		want := lf(s)
		require.Equal(t, want, string(d.Text))

		runes := []rune(want)
		cut := func(from int, at, del uint16) (int, int) {
			i := from + int(at)%(len(runes)-from+1)
			return i, i + int(del)%(len(runes)-i+1)
		}
		a, b := cut(0, at1, del1)
		c, e := cut(b, at2, del2)
		offset := func(i int) int { return len(string(runes[:i])) }
		edited, err := d.Edit([]text.Splice{
			{At: offset(a), Del: offset(b) - offset(a), Insert: []byte(ins1)},
			{At: offset(c), Del: offset(e) - offset(c), Insert: []byte(ins2)},
		})
		require.NoError(t, err)
		want = string(runes[:a]) + lf(ins1) + string(runes[b:c]) + lf(ins2) + string(runes[e:])
		require.Equal(t, want, string(edited.Text))
		require.Empty(t, edited.ConvertedFrom)

		again, err := text.Decode(edited.Raw)
		require.NoError(t, err)
		require.Equal(t, want, string(again.Text))
		require.Equal(t, d.Encoding, again.Encoding)
		require.Equal(t, d.BOM, again.BOM)

		// Before and behind: as much of the old file as makes those texts.
		head, tail := headOf(s, offset(a)), tailOf(s, len(lf(s))-offset(e))
		require.True(t, bytes.HasPrefix(edited.Raw, encode(encoding, head)))
		require.True(t, bytes.HasSuffix(edited.Raw, encode(encoding, tail)[len(encode(encoding, "")):]))
	})
}

func lf(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}

// headOf is the start of s whose text is n bytes long.
func headOf(s string, n int) string {
	for i := range len(s) + 1 {
		if len(lf(s[:i])) == n && !(i > 0 && i < len(s) && s[i-1] == '\r' && s[i] == '\n') {
			return s[:i]
		}
	}
	return s
}

// tailOf is the end of s whose text is n bytes long.
func tailOf(s string, n int) string {
	return s[len(headOf(s, len(lf(s))-n)):]
}

// encode writes s in one of six ways.
func encode(encoding uint8, s string) []byte {
	var out []byte
	switch encoding % 6 {
	case 0:
		return []byte(s)
	case 1:
		return []byte("\ufeff" + s)
	case 2, 3:
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			if encoding%6 == 2 {
				out = append(out, byte(u), byte(u>>8))
			} else {
				out = append(out, byte(u>>8), byte(u))
			}
		}
	default:
		for _, r := range "\ufeff" + s {
			if encoding%6 == 4 {
				out = append(out, byte(r), byte(r>>8), byte(r>>16), 0)
			} else {
				out = append(out, 0, byte(r>>16), byte(r>>8), byte(r))
			}
		}
	}
	return out
}

package text

import (
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

var (
	utf8Codec   = &codec{name: "utf-8", unit: 1}
	utf16le     = &codec{name: "utf-16le", unit: 2, enc: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}
	utf16be     = &codec{name: "utf-16be", unit: 2, enc: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}
	utf32le     = &codec{name: "utf-32le", unit: 4, enc: utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}
	utf32be     = &codec{name: "utf-32be", unit: 4, enc: utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)}
	windows1252 = &codec{name: "windows-1252", unit: 1, enc: charmap.Windows1252}
)

// detected are the codecs for each name that the detector gives; several where
// it cannot tell them apart. It has no say where a name is left out: UTF-8, UTF-16
// and UTF-32 have rules of their own, ISO-2022 and HZ are ASCII, x/text has no
// Johab and no EUC-TW, and Western text never reaches the confidence asked for.
// The Turkish ones (ISO-8859-9, windows-1254) do for one Western text in ten.
var detected = map[string][]*codec{
	"Shift_JIS":      {shiftJIS},
	"CP932":          {shiftJIS},
	"EUC-JP":         {{name: "euc-jp", unit: 1, many: true, enc: japanese.EUCJP}},
	"EUC-KR":         {eucKR},
	"CP949":          {eucKR},
	"GB2312":         {gbk, gb18030},
	"Big5":           {{name: "big5", unit: 1, many: true, enc: traditionalchinese.Big5}},
	"Windows-1251":   {windows1251, macCyrillic},
	"KOI8-R":         {{name: "koi8-r", unit: 1, enc: charmap.KOI8R}},
	"ISO-8859-5":     {{name: "iso-8859-5", unit: 1, enc: charmap.ISO8859_5}},
	"x-mac-cyrillic": {macCyrillic, windows1251},
	"IBM855":         {{name: "ibm855", unit: 1, enc: charmap.CodePage855}},
	"IBM866":         {{name: "ibm866", unit: 1, enc: charmap.CodePage866}},
	"ISO-8859-7":     {{name: "iso-8859-7", unit: 1, enc: charmap.ISO8859_7}},
	"Windows-1253":   {{name: "windows-1253", unit: 1, enc: charmap.Windows1253}},
	"ISO-8859-8":     {{name: "iso-8859-8", unit: 1, enc: charmap.ISO8859_8}},
	"Windows-1255":   {{name: "windows-1255", unit: 1, enc: charmap.Windows1255}},
	"TIS-620":        {{name: "windows-874", unit: 1, enc: charmap.Windows874}},
}

var (
	shiftJIS    = &codec{name: "shift_jis", unit: 1, many: true, enc: japanese.ShiftJIS}
	eucKR       = &codec{name: "euc-kr", unit: 1, many: true, enc: korean.EUCKR}
	gbk         = &codec{name: "gbk", unit: 1, many: true, enc: simplifiedchinese.GBK}
	gb18030     = &codec{name: "gb18030", unit: 1, many: true, enc: simplifiedchinese.GB18030}
	windows1251 = &codec{name: "windows-1251", unit: 1, enc: charmap.Windows1251}
	macCyrillic = &codec{name: "x-mac-cyrillic", unit: 1, enc: charmap.MacintoshCyrillic}
)

package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// alphabets are the letters beyond ASCII of the Western European languages.
// Icelandic and Faroese are left out, whose ð, þ and ý are the bytes of letters
// of Turkish and Czech.
var alphabets = []string{
	"áàâçéèêëíîïñóôöúûü", // English and Dutch, with loan words
	"àâæçéèêëîïôùûüœ",    // French
	"äöüßéàè",            // German
	"áéíñóúüç",           // Spanish
	"áâãàçéêíóôõúü",      // Portuguese
	"àèéìíîòóùú",         // Italian
	"àçéèíïóòúü",         // Catalan
	"æøåéèêóòôäöü",       // Danish, Norwegian
	"åäöéàüæø",           // Swedish, Finnish
}

// What a byte of windows-1252 is. The lower bits are the alphabets it is a
// letter of; foreign is 0: no character, or a letter of no Western alphabet.
const (
	alphabetBits = 1<<9 - 1
	foreign      = 0
	upper        = 1 << (iota + 9) // a capital letter
	symbol                         // no letter
	opening                        // a symbol that does not follow a letter
	closing                        // a symbol that does not precede a letter
	joining                        // a symbol that may stand between two letters
)

// western1252 says what each byte is.
var western1252 = func() (table [256]uint16) {
	for c := range table {
		r := charmap.Windows1252.DecodeByte(byte(c))
		switch {
		case c < 0x80 && unicode.IsUpper(r):
			table[c] = alphabetBits | upper
		case c < 0x80 && unicode.IsLower(r):
			table[c] = alphabetBits
		case c < 0x80:
			table[c] = symbol | joining
		case r == utf8.RuneError: // windows-1252 has no such character
		case strings.ContainsRune("‚„¡¿", r):
			table[c] = symbol | opening
		case strings.ContainsRune("¢£¤¥¦¨¬¯±²³´¸¹¼½¾×÷", r):
			table[c] = symbol | closing
		case strings.ContainsRune("’–—…·\u00a0\u00ad", r):
			table[c] = symbol | joining
		case strings.ContainsRune("ªºµ", r), !unicode.IsLetter(r) && !unicode.IsControl(r) && r != '˜':
			table[c] = symbol
		}
		for i, letters := range alphabets {
			if c >= 0x80 && strings.ContainsRune(letters, unicode.ToLower(r)) {
				table[c] |= 1 << i
				if unicode.IsUpper(r) {
					table[c] |= upper
				}
			}
		}
	}
	return table
}()

// western reports whether raw, which is not UTF-8, reads as windows-1252 like
// text of one Western European language, so that new text may be written in
// that encoding. Otherwise windows-1252 is only a guess (Doc.Certain). Every
// byte beyond ASCII must be a character of windows-1252, and
//
//   - all letters belong to one of the alphabets,
//   - at most two of them stand in a row, two only beside an ASCII letter,
//   - no capital letter follows a small one,
//   - symbols stand where such symbols stand: not inside words but for
//     apostrophes, dashes and the like, and no two of the range A1-BF in a row.
//
// Cyrillic, Greek, Hebrew, Arabic, Thai and the East Asian encodings fail by
// their rows of letters, Central European ones by their symbols and mixtures,
// those of DOS and the Macintosh by symbols and capitals inside words.
func western(w watch, raw []byte) bool {
	at := func(i int) uint16 {
		if i < 0 || i >= len(raw) {
			return symbol | joining
		}
		return western1252[raw[i]]
	}
	language := uint16(alphabetBits)
	for i, c := range raw {
		if i%pieceSize == 0 {
			w.check()
		}
		if c < 0x80 {
			continue
		}
		this, before, after := at(i), at(i-1), at(i+1)
		afterLetter, beforeLetter := before&symbol == 0, after&symbol == 0
		switch {
		case this == foreign:
			return false
		case this&symbol != 0:
			if afterLetter && (this&opening != 0 || beforeLetter && this&joining == 0) ||
				beforeLetter && this&closing != 0 ||
				c > 0xa0 && i > 0 && raw[i-1] > 0xa0 && before&symbol != 0 {
				return false
			}
		default:
			language &= this
			if language == 0 || afterLetter && this&upper != 0 && before&upper == 0 {
				return false
			}
			if i > 0 && raw[i-1] >= 0x80 && afterLetter && !asciiLetter(raw, i-2) && !asciiLetter(raw, i+1) ||
				i > 1 && raw[i-1] >= 0x80 && afterLetter && raw[i-2] >= 0x80 && at(i-2)&symbol == 0 {
				return false
			}
		}
	}
	return true
}

// asciiLetter reports whether raw has one at i.
func asciiLetter(raw []byte, i int) bool {
	return i >= 0 && i < len(raw) && raw[i] < 0x80 && western1252[raw[i]]&symbol == 0
}

package text

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
)

const (
	sampleWindow = 1 << 20 // how much of a file is looked at (spec/tools.md, "Encoding, in this order")
	sampleSize   = 1 << 16 // how much of that is shown to the detector, which is slow
	confident    = 0.9     // a guess must be better than that
)

// detect guesses the encoding of raw, which is neither UTF-8 nor UTF-16, and
// decodes it; nil where no guess is confident. The detector looks at a part and
// at how likely it is, so a guess counts only if all of raw is text in that
// encoding: code pages of Chinese, Japanese and Korean are easily taken for one
// another (FE-07). Of several the one with the fewest odd letters wins, then the
// likeliest.
func detect(w watch, raw []byte) (best *codec, text []byte) {
	least := 0
	for _, guess := range chardet.DetectAll(sample(raw)) {
		if guess.Confidence <= confident {
			break
		}
		for _, c := range detected[guess.Charset] {
			full, ok := c.strict(w, raw)
			if !ok {
				continue
			}
			letters, odd := 0, 0
			if !c.many {
				letters, odd = oddLetters(w, full)
			}
			if 20*odd <= letters && (best == nil || odd < least) {
				best, text, least = c, full, odd
			}
		}
	}
	return best, text
}

// oddLetters counts the letters of full beyond ASCII, and those of them that are
// a capital behind a small one or beside a sign, such as a currency's. Code pages
// that agree on most letters show so when one is taken for the other: in
// windows-1251 read as x-mac-cyrillic every я is a currency sign.
func oddLetters(w watch, full []byte) (letters, odd int) {
	const (
		other = iota
		letter
		small
		sign
	)
	last := other
	for piece := range w.pieces(full) {
		for _, r := range string(piece) {
			switch {
			case r < utf8.RuneSelf:
				last = other
			case unicode.In(r, unicode.L, unicode.M):
				letters++
				if last == sign || last == small && unicode.IsUpper(r) {
					odd++
				}
				last = letter
				if unicode.IsLower(r) {
					last = small
				}
			case unicode.Is(unicode.S, r):
				if last == letter || last == small {
					odd++
				}
				last = sign
			default:
				last = other
			}
		}
	}
	return letters, odd
}

// sample returns those lines at the head of raw that are not ASCII: all that
// tells one encoding from another.
func sample(raw []byte) []byte {
	if len(raw) > sampleWindow {
		raw = raw[:sampleWindow]
		// To the last line's end, so that no character is cut.
		if i := bytes.LastIndexByte(raw, '\n'); i >= 0 {
			raw = raw[:i+1]
		}
	}
	var s []byte
	for line := range bytes.Lines(raw) {
		if isASCII(line) {
			continue
		}
		if len(s) > 0 && len(s)+len(line) > sampleSize {
			break
		}
		s = append(s, line...)
	}
	return slices.Clip(s) // the detector looks behind the end, as far as there is room
}

package text

import (
	"bytes"

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
// another (FE-07).
func detect(raw []byte) (*codec, []byte) {
	for _, guess := range chardet.DetectAll(sample(raw)) {
		if guess.Confidence <= confident {
			break
		}
		for _, c := range detected[guess.Charset] {
			if full, ok := c.strict(raw); ok {
				return c, full
			}
		}
	}
	return nil, nil
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
	return s
}

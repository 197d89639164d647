package text

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// A cursor walks a Doc's text and its raw bytes side by side, forwards only: an
// edit's splices ascend, so one walk serves them all and no table of offsets is
// kept. It stands between two characters, and never inside a CRLF.
type cursor struct {
	d       *Doc
	watch   watch
	text    int // offset in d.Text
	raw     int // offset in d.raw
	decoder transform.Transformer
	scratch []byte
}

// newCursor returns a cursor at the beginning of d's text.
func newCursor(w watch, d *Doc) *cursor {
	c := &cursor{d: d, watch: w, raw: d.start}
	if d.codec.enc != nil {
		c.decoder = d.codec.enc.NewDecoder().Transformer
		c.scratch = make([]byte, 4096)
	}
	return c
}

// seek moves the cursor forward to the offset to of the text, which is the
// boundary of a character, and returns the offset in the raw bytes.
func (c *cursor) seek(to int) int {
	switch {
	case c.decoder != nil:
		c.walkDecoded(to)
	case c.d.Stray > 0:
		c.walkStray(to)
	default:
		c.walkUTF8(to)
	}
	return c.raw
}

// walkUTF8 jumps from one CR to the next; all else is the same in both.
func (c *cursor) walkUTF8(to int) {
	if c.d.ends.crlf == 0 {
		c.raw += to - c.text
		c.text = to
		return
	}
	for c.text < to {
		ahead := c.d.raw[c.raw:]
		n := bytes.IndexByte(ahead[:min(to-c.text, len(ahead))], '\r')
		if n < 0 {
			c.raw += to - c.text
			c.text = to
			return
		}
		c.text += n + 1
		c.raw += n + lineEndSize(ahead[n:])
	}
}

// walkStray goes by single characters: a stray byte is three bytes of text.
func (c *cursor) walkStray(to int) {
	for done := 1; c.text < to; done++ {
		if done%pieceSize == 0 {
			c.watch.check()
		}
		ahead := c.d.raw[c.raw:]
		if ahead[0] < utf8.RuneSelf {
			c.raw += lineEndSize(ahead)
			c.text++
			continue
		}
		_, n := utf8.DecodeRune(ahead)
		c.raw += n
		if n == 1 {
			n = len(replacement)
		}
		c.text += n
	}
}

// lineEndSize is how many bytes of b are its first character or CRLF; b begins
// with ASCII.
func lineEndSize(b []byte) int {
	if b[0] == '\r' && len(b) > 1 && b[1] == '\n' {
		return 2
	}
	return 1
}

// walkDecoded decodes as many bytes of UTF-8 as there are bytes of text to go,
// again and again: a step that meets CRLF falls short, none goes too far.
func (c *cursor) walkDecoded(to int) {
	cr := false
	for c.text < to {
		c.watch.check()
		full := c.step(to - c.text)
		for _, b := range full {
			if b != '\n' || !cr {
				c.text++
			}
			cr = b == '\r'
		}
	}
	if cr {
		// The LF of a CRLF whose CR was the last that fitted.
		before := c.raw
		if full := c.step(1); len(full) != 1 || full[0] != '\n' {
			c.raw = before
		}
	}
}

// step decodes what makes at most n bytes of UTF-8, and goes behind it.
func (c *cursor) step(n int) []byte {
	// These decoders fill what room there is to the last character that fits.
	made, used, _ := c.decoder.Transform(c.scratch[:min(n, len(c.scratch))], c.d.raw[c.raw:], true)
	c.raw += used
	return c.scratch[:made]
}

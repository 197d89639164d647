package text

import (
	"context"
	"slices"
	"unicode/utf8"
)

// A Doc is a file as text. It refers to the bytes that [Decode] was given,
// which must not change as long as it is in use.
type Doc struct {
	Text     []byte // UTF-8 with LF line ends, without the byte order mark
	Encoding string // IANA's name in lower case: "utf-8", "shift_jis", "utf-16le", …
	Certain  bool   // false where Encoding is only a guess
	BOM      bool   // the file begins with a byte order mark
	Stray    int    // how many U+FFFD of Text stand for bytes that are no character
	Control  bool   // Text holds one of U+0000-0008, U+000E-001F, U+007F
	LineEnd  string // the prevailing line end: "\n" (also where there is none), "\r\n" or "\r"

	raw   []byte
	start int // where the text begins in raw, behind the byte order mark
	codec *codec
	ends  lineEnds
}

// Decode finds out the encoding of raw, by the rules of spec/tools.md
// ("Encoding, in this order"), and decodes it. It fails with an
// *[UndecodableError] only: for bytes with control characters that neither a
// byte order mark nor UTF-8 nor UTF-16 explains.
//
// Text of a UTF-8 file whose lines end in LF is part of raw, not a copy.
func Decode(raw []byte) (*Doc, error) { return DecodeContext(context.Background(), raw) }

// DecodeContext is Decode, and fails with ctx's error when that ends.
func DecodeContext(ctx context.Context, raw []byte) (_ *Doc, err error) {
	defer caught(&err)
	return decode(watch{ctx}, raw)
}

func decode(w watch, raw []byte) (*Doc, error) {
	if c, n := byteOrderMark(raw); c != nil {
		full, stray := c.decode(w, raw[n:])
		d := newDoc(w, raw, n, c, full)
		d.Stray = stray
		return d, nil
	}
	if c, full := bareUTF16(w, raw); c != nil {
		return newDoc(w, raw, 0, c, full), nil
	}
	if utf8.Valid(raw) {
		return newDoc(w, raw, 0, utf8Codec, raw), nil
	}
	multi, stray := countUTF8(w, raw)
	if stray < multi {
		full, _ := replaceStray(w, raw)
		d := newDoc(w, raw, 0, utf8Codec, full)
		d.Stray = stray
		return d, nil
	}
	if hasControl(raw) {
		return nil, &UndecodableError{Reason: utf8Reason(raw)}
	}
	if c, full := detect(w, raw); c != nil {
		return newDoc(w, raw, 0, c, full), nil
	}
	full, stray := windows1252.decode(w, raw)
	d := newDoc(w, raw, 0, windows1252, full)
	d.Stray = stray
	d.Certain = multi == 0 && western(w, raw) // no "Ã©": that is UTF-8 beside something else
	return d, nil
}

// newDoc makes the Doc of raw, whose text begins at start and reads full.
func newDoc(w watch, raw []byte, start int, c *codec, full []byte) *Doc {
	ends := countLineEnds(w, full)
	shared := len(full) > 0 && &full[0] == &raw[start]
	d := &Doc{
		Encoding: c.name, Certain: true, BOM: start > 0,
		Control: hasControl(full), LineEnd: ends.prevailing(full),
		raw: raw, start: start, codec: c, ends: ends,
	}
	d.Text = slices.Clip(toLF(w, full, ends, !shared))
	return d
}

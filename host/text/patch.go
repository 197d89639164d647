package text

import (
	"bytes"
	"errors"
)

// A patch is a change of the raw bytes: insert in place of those from from to to.
type patch struct {
	from, to int
	insert   []byte
	literal  bool // insert ends in a "\r" that is text and ends no line
}

// errNoSuchCharacter: the encoding lacks a character of an insertion.
var errNoSuchCharacter = errors.New("no such character in this encoding")

// encode turns changes of the text into patches of the bytes. It fails with
// errNoSuchCharacter or [ErrEncodingUnknown].
func (d *Doc) encode(w watch, changes []Splice) ([]patch, error) {
	patches := make([]patch, 0, len(changes))
	c := newCursor(w, d)
	for _, s := range changes {
		w.check()
		p := patch{from: c.seek(s.At), literal: bytes.HasSuffix(s.Insert, []byte{'\r'})}
		p.to = c.seek(s.At + s.Del)
		if len(s.Insert) > 0 && (p.from-d.start)%d.codec.unit != 0 {
			// Behind the half of a character that the file ends with. It
			// would take its other half from the new text.
			return nil, ErrEncodingUnknown
		}
		p.insert = s.Insert
		if d.LineEnd != "\n" {
			p.insert = bytes.ReplaceAll(p.insert, []byte{'\n'}, []byte(d.LineEnd))
		}
		if d.Stray > 0 && d.codec.enc == nil {
			p.insert = restoreStray(p.insert, d.raw[p.from:p.to])
		}
		var ok bool
		if p.insert, ok = d.codec.encode(w, p.insert); !ok {
			return nil, errNoSuchCharacter
		}
		patches = append(patches, p)
	}
	return patches, nil
}

// build makes the new file. Where a change brings the CR that ends one line
// before the LF that ends the next, they would become one line end; a CR between
// them keeps two, and every untouched byte.
func (d *Doc) build(w watch, patches []patch) []byte {
	size := len(d.raw)
	for _, p := range patches {
		size += len(p.insert) - (p.to - p.from)
	}
	out := make([]byte, 0, size)
	cr, _ := d.codec.encode(w, []byte{'\r'})
	lf, _ := d.codec.encode(w, []byte{'\n'})
	endsInCR := false
	add := func(b []byte, literal bool) {
		if len(b) == 0 {
			return
		}
		if endsInCR && bytes.HasPrefix(b, lf) {
			out = append(out, cr...)
		}
		out = append(out, b...)
		endsInCR = !literal && bytes.HasSuffix(b, cr)
	}
	last := 0
	for _, p := range patches {
		add(d.raw[last:p.from], false)
		add(p.insert, p.literal)
		last = p.to
	}
	add(d.raw[last:], false)
	return out
}

// inUTF8 returns d as it would be if its file were in UTF-8.
func (d *Doc) inUTF8(w watch) *Doc {
	u := *d
	u.codec, u.start, u.Stray = utf8Codec, 0, 0
	u.raw, _ = d.codec.decode(w, d.raw[d.start:])
	return &u
}

// textIsRaw reports whether text and bytes are the same, after an edit too.
func (d *Doc) textIsRaw() bool {
	return d.codec.enc == nil && d.Stray == 0 && d.ends.crlf+d.ends.cr == 0
}

package text

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A Splice replaces Del bytes of Doc.Text at the offset At by Insert. A "\n" or
// "\r\n" of Insert is a line end of the file's prevailing kind; a lone "\r" is
// text and is written as it is.
type Splice struct {
	At, Del int
	Insert  []byte
}

// Edited is a file after an edit.
type Edited struct {
	Raw  []byte // the new file
	Text []byte // its text with LF line ends; a lone "\r" of an insertion is kept

	// ConvertedFrom is the former encoding (IANA's name in lower case) when it
	// cannot represent the new text and the whole file became UTF-8, else "".
	ConvertedFrom string
}

// ErrEncodingUnknown means that new text cannot be encoded, because the file's
// encoding is only a guess (Doc.Certain is false) and the text is not ASCII, or
// because the file ends inside a character (spec/tools.md, "Encoding, in this
// order").
var ErrEncodingUnknown = errors.New("the file's encoding is not known")

// Edit applies the splices, which ascend and do not overlap, and leaves d as it
// is. No byte changes but what really differs: of each splice that is not what
// removed and inserted text have in common at their start and end, nor whole
// lines between (spec/tools.md, "Line endings of an edit").
//
// Text that the encoding lacks turns the whole file into UTF-8, with its line
// ends as they were. Errors: [ErrEncodingUnknown]; others for splices out of
// order, out of range or inside a character, and for insertions that are not
// UTF-8. The result may share memory with d and with what Decode was given.
func (d *Doc) Edit(splices []Splice) (*Edited, error) {
	return d.EditContext(context.Background(), splices)
}

// EditContext is Edit, and fails with ctx's error when that ends.
func (d *Doc) EditContext(ctx context.Context, splices []Splice) (_ *Edited, err error) {
	defer caught(&err)
	return d.edit(watch{ctx}, splices)
}

func (d *Doc) edit(w watch, splices []Splice) (*Edited, error) {
	if err := d.check(splices); err != nil {
		return nil, err
	}
	var changes []Splice
	for _, s := range splices {
		changes = d.refine(w, changes, s)
	}
	if !d.Certain && slices.ContainsFunc(changes, func(s Splice) bool { return !isASCII(s.Insert) }) {
		return nil, ErrEncodingUnknown
	}
	if len(changes) == 0 {
		return &Edited{Raw: d.raw, Text: d.Text}, nil
	}
	e := &Edited{}
	patches, err := d.encode(w, changes)
	if errors.Is(err, errNoSuchCharacter) {
		e.ConvertedFrom = d.Encoding
		d = d.inUTF8(w)
		patches, err = d.encode(w, changes)
	}
	if err != nil {
		return nil, err
	}
	e.Raw = d.build(w, patches)
	if d.textIsRaw() {
		e.Text = e.Raw[d.start:]
	} else {
		e.Text = replace(d.Text, changes)
	}
	return e, nil
}

// check refuses splices that do not fit d.
func (d *Doc) check(splices []Splice) error {
	end := 0
	for i, s := range splices {
		switch {
		case s.At < end:
			return fmt.Errorf("splice %d at byte %d: it must begin at or after byte %d, where the one before it ends", i, s.At, end)
		case s.Del < 0 || s.At > len(d.Text) || s.Del > len(d.Text)-s.At:
			return fmt.Errorf("splice %d at byte %d, of %d bytes: the text has only %d bytes", i, s.At, s.Del, len(d.Text))
		case !d.boundary(s.At) || !d.boundary(s.At+s.Del):
			return fmt.Errorf("splice %d at byte %d, of %d bytes: it must not cut a character", i, s.At, s.Del)
		case !utf8.Valid(s.Insert):
			return fmt.Errorf("splice %d at byte %d: the inserted text must be UTF-8", i, s.At)
		}
		end = s.At + s.Del
	}
	return nil
}

// boundary reports whether no character of the text is cut at the offset i.
func (d *Doc) boundary(i int) bool {
	return i == len(d.Text) || utf8.RuneStart(d.Text[i])
}

// replace returns text with the changes made.
func replace(text []byte, changes []Splice) []byte {
	size := len(text)
	for _, s := range changes {
		size += len(s.Insert) - s.Del
	}
	out := make([]byte, 0, size)
	last := 0
	for _, s := range changes {
		out = append(out, text[last:s.At]...)
		out = append(out, s.Insert...)
		last = s.At + s.Del
	}
	return append(out, text[last:]...)
}

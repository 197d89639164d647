package tool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ohhost/ohhost/abi"
)

// WriteObservation writes a result as the JSON that every edge shows
// (architecture, "One call"), on one line and without a line end:
//
//	{"content":[…],"is_error":…, the tool's own fields in their order}
//
// with the parts {"type":"text","text":…} and
// {"type":"image","image_urls":["data:<mime>;base64,…"]}. Control characters are
// escaped, those above ASCII and of writing direction too: a terminal may show it.
// Long texts and images are escaped piece by piece, so that none is in memory
// twice. A result that
// cannot be shown (a field called like one of ours, a value that is no JSON) is
// an error before anything is written; other errors are the writer's.
func WriteObservation(w io.Writer, r *abi.Result) error {
	values, err := checkFields(r.Fields)
	if err != nil {
		return err
	}
	p := &printer{w: w, buf: make([]byte, 0, 2*pieceSize)}
	p.raw(`{"content":[`)
	for i, part := range r.Content {
		if i > 0 {
			p.raw(",")
		}
		if part.Image == nil {
			p.raw(`{"type":"text","text":"`)
			escape(p, part.Text)
			p.raw(`"}`)
			continue
		}
		p.raw(`{"type":"image","image_urls":["data:`)
		escape(p, part.MIME)
		p.raw(`;base64,`)
		p.base64(part.Image)
		p.raw(`"]}`)
	}
	p.raw(`],"is_error":`)
	p.raw(strconv.FormatBool(r.IsError))
	for i, f := range r.Fields {
		p.raw(`,"`)
		escape(p, f.Name)
		p.raw(`":`)
		if len(f.Value) > 0 {
			p.write(values[i])
			continue
		}
		p.raw(`"`)
		escape(p, f.Text)
		p.raw(`"`)
	}
	p.raw(`}`)
	p.flush()
	return p.err
}

// ModelText returns what the model reads of a result as plain text: its text
// parts, one after the other. (What edges put before an error is theirs.)
func ModelText(r *abi.Result) string {
	if len(r.Content) == 1 {
		return r.Content[0].Text
	}
	var b strings.Builder
	for _, part := range r.Content {
		if part.Image == nil {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}

// checkFields returns the fields' values as JSON on one line, in valid UTF-8.
func checkFields(fields []abi.Field) ([][]byte, error) {
	values := make([][]byte, len(fields))
	seen := map[string]bool{"content": true, "is_error": true}
	for i, f := range fields {
		if seen[f.Name] {
			return nil, fmt.Errorf("field %s: the name is taken", quote(f.Name))
		}
		seen[f.Name] = true
		if len(f.Value) == 0 {
			continue
		}
		v := []byte(f.Value)
		if !json.Valid(v) {
			return nil, fmt.Errorf("field %s: its value is not JSON", quote(f.Name))
		}
		if bytes.ContainsAny(v, "\r\n") {
			var b bytes.Buffer
			if err := json.Compact(&b, v); err != nil {
				return nil, fmt.Errorf("field %s: %w", quote(f.Name), err)
			}
			v = b.Bytes()
		}
		values[i] = EscapeControls(bytes.ToValidUTF8(v, []byte("\ufffd")))
	}
	return values, nil
}

// pieceSize is how much of a text is escaped at once.
const pieceSize = 16 << 10

// A printer buffers small writes and keeps the first error.
type printer struct {
	w   io.Writer
	buf []byte
	err error
}

func (p *printer) flush() {
	if p.err == nil && len(p.buf) > 0 {
		_, p.err = p.w.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

func (p *printer) room(n int) {
	if len(p.buf)+n > cap(p.buf) {
		p.flush()
	}
}

func (p *printer) raw(s string) {
	p.room(len(s))
	p.buf = append(p.buf, s...)
}

func (p *printer) write(b []byte) {
	if p.room(len(b)); len(b) > cap(p.buf) {
		if p.err == nil {
			_, p.err = p.w.Write(b)
		}
		return
	}
	p.buf = append(p.buf, b...)
}

// escape prints s as the inside of a JSON string.
func escape[T string | []byte](p *printer, s T) {
	for len(s) > 0 && p.err == nil {
		n := min(len(s), pieceSize)
		if n < len(s) {
			n = beforeCut(s, n)
		}
		p.room(n)
		p.buf = appendText(p.buf, s[:n])
		s = s[n:]
	}
}

// beforeCut returns n, or, where that lies inside a character, where it begins.
func beforeCut[T string | []byte](s T, n int) int {
	for start := n - 1; start >= 0 && start > n-utf8.UTFMax; start-- {
		if !utf8.RuneStart(s[start]) {
			continue
		}
		if !utf8.FullRuneInString(string(s[start:n])) {
			return start
		}
		break
	}
	return n
}

// base64 prints data in the standard encoding.
func (p *printer) base64(data []byte) {
	const piece = pieceSize / 4 * 3
	for len(data) > 0 && p.err == nil {
		n := min(len(data), piece)
		p.room(pieceSize)
		p.buf = base64.StdEncoding.AppendEncode(p.buf, data[:n])
		data = data[n:]
	}
}

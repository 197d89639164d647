package abi

import (
	"errors"
)

// Limits of a frame. The decoder refuses what is over them before it
// allocates; the encoder refuses too, so that a frame we make can be read.
const (
	MaxHeader      = 64 << 20 // bytes of the JSON header
	MaxAttachments = 1 << 16
	MaxFrame       = 256 << 20 // bytes of the whole frame
)

// Errors of the frame codec. They say what is wrong with the bytes, not who
// sent them.
var (
	ErrFrameShort       = errors.New("frame is cut short")
	ErrFrameTrailing    = errors.New("bytes follow the last attachment of the frame")
	ErrFrameHeader      = errors.New("frame header is over the limit")
	ErrFrameAttachments = errors.New("frame has too many attachments")
	ErrFrameSize        = errors.New("frame is over the limit")
)

// A Frame is a JSON header and attachments of raw bytes: the unit that host and
// guest exchange. See the package documentation for its encoding.
type Frame struct {
	Header      []byte
	Attachments [][]byte
}

// Attachment returns attachment i, or nil and false where there is none.
func (f *Frame) Attachment(i int) ([]byte, bool) {
	if i < 0 || i >= len(f.Attachments) {
		return nil, false
	}
	return f.Attachments[i], true
}

// Size returns the length of the encoded frame in bytes.
func (f *Frame) Size() int {
	n := 8 + 4*len(f.Attachments) + len(f.Header)
	for _, a := range f.Attachments {
		n += len(a)
	}
	return n
}

// Append appends the encoded frame to dst. It returns dst unchanged and one of
// the ErrFrame errors when a limit is passed.
func (f *Frame) Append(dst []byte) ([]byte, error) {
	head, err := f.Prefix()
	if err != nil {
		return dst, err
	}
	dst = append(dst, head...)
	for _, a := range f.Attachments {
		dst = append(dst, a...)
	}
	return dst, nil
}

// Prefix returns the encoded frame up to and with the header: what precedes
// the attachments. A sender writes it and then each attachment, without copying
// them into one buffer.
func (f *Frame) Prefix() ([]byte, error) {
	switch {
	case len(f.Header) > MaxHeader:
		return nil, ErrFrameHeader
	case len(f.Attachments) > MaxAttachments:
		return nil, ErrFrameAttachments
	case f.Size() > MaxFrame:
		return nil, ErrFrameSize
	}
	b := make([]byte, 0, 8+4*len(f.Attachments)+len(f.Header))
	b = appendU32(b, uint32(len(f.Header)))
	b = appendU32(b, uint32(len(f.Attachments)))
	for _, a := range f.Attachments {
		b = appendU32(b, uint32(len(a)))
	}
	return append(b, f.Header...), nil
}

// DecodeFrame reads a frame that fills b exactly. Header and attachments are
// slices of b, not copies. Any other input gives one of the ErrFrame errors; it
// never panics. Whatever lengths b claims, it allocates one slice header for each
// attachment whose length is in b, at most [MaxAttachments].
func DecodeFrame(b []byte) (*Frame, error) {
	if len(b) > MaxFrame {
		return nil, ErrFrameSize
	}
	if len(b) < 8 {
		return nil, ErrFrameShort
	}
	header := u32(b)
	n := u32(b[4:])
	if header > MaxHeader {
		return nil, ErrFrameHeader
	}
	if n > MaxAttachments {
		return nil, ErrFrameAttachments
	}
	lengths, rest := b[8:], uint64(len(b)-8)
	if rest < 4*uint64(n)+uint64(header) {
		return nil, ErrFrameShort
	}
	body := lengths[4*n:]
	f := &Frame{Header: body[:header:header]}
	body = body[header:]
	if n > 0 {
		f.Attachments = make([][]byte, n)
	}
	for i := range f.Attachments {
		l := u32(lengths[4*i:])
		if uint64(l) > uint64(len(body)) {
			return nil, ErrFrameShort
		}
		f.Attachments[i], body = body[:l:l], body[l:]
	}
	if len(body) > 0 {
		return nil, ErrFrameTrailing
	}
	return f, nil
}

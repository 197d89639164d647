package abi_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestFrameEncoding(t *testing.T) {
	f := &abi.Frame{Header: []byte(`{"a":1}`), Attachments: [][]byte{[]byte("xy"), {}, {0, 255}}}
	b, err := f.Append([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, "before"+
		"\x07\x00\x00\x00"+"\x03\x00\x00\x00"+
		"\x02\x00\x00\x00"+"\x00\x00\x00\x00"+"\x02\x00\x00\x00"+
		`{"a":1}`+"xy"+"\x00\xff", string(b))
	require.Equal(t, len(b)-len("before"), f.Size())

	back, err := abi.DecodeFrame(b[len("before"):])
	require.NoError(t, err)
	require.Equal(t, f, back)

	a, ok := back.Attachment(0)
	require.True(t, ok)
	require.Equal(t, "xy", string(a))
	for _, i := range []int{-1, 3} {
		_, ok = back.Attachment(i)
		require.False(t, ok)
	}
}

func TestFrameRefused(t *testing.T) {
	u32 := func(vs ...uint32) (b []byte) {
		for _, v := range vs {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	for _, c := range []struct {
		name string
		in   []byte
		want error
	}{
		{"empty", nil, abi.ErrFrameShort},
		{"seven bytes", make([]byte, 7), abi.ErrFrameShort},
		{"header missing", u32(1, 0), abi.ErrFrameShort},
		{"lengths missing", u32(0, 2, 0), abi.ErrFrameShort},
		{"attachment missing", u32(0, 1, 1), abi.ErrFrameShort},
		{"attachment of 4 GiB", u32(0, 1, 1<<32-1), abi.ErrFrameShort},
		{"trailing byte", append(u32(0, 0), 0), abi.ErrFrameTrailing},
		{"header over the limit", u32(abi.MaxHeader+1, 0), abi.ErrFrameHeader},
		{"header of 4 GiB", u32(1<<32-1, 0), abi.ErrFrameHeader},
		{"too many attachments", u32(0, abi.MaxAttachments+1), abi.ErrFrameAttachments},
		{"4 Gi attachments", u32(0, 1<<32-1), abi.ErrFrameAttachments},
		{"frame over the limit", make([]byte, abi.MaxFrame+1), abi.ErrFrameSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := abi.DecodeFrame(c.in)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, f)
		})
	}
}

func TestFrameEncoderLimits(t *testing.T) {
	big := make([]byte, abi.MaxFrame/2)
	for _, c := range []struct {
		name string
		f    abi.Frame
		want error
	}{
		{"header", abi.Frame{Header: make([]byte, abi.MaxHeader+1)}, abi.ErrFrameHeader},
		{"attachments", abi.Frame{Attachments: make([][]byte, abi.MaxAttachments+1)}, abi.ErrFrameAttachments},
		{"size", abi.Frame{Attachments: [][]byte{big, big}}, abi.ErrFrameSize},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := c.f.Append([]byte("kept"))
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", string(b))
		})
	}
}

// TestR13DecodeFrame: lengths that lie cost nothing, and the most attachments that
// there may be a slice header each.
func TestR13DecodeFrame(t *testing.T) {
	empty := binary.LittleEndian.AppendUint32(make([]byte, 4), abi.MaxAttachments)
	empty = append(empty, make([]byte, 4*abi.MaxAttachments)...)
	for _, c := range []struct {
		name string
		in   []byte
		want error
		most float64 // allocations
	}{
		{"the most attachments", empty, nil, 2},
		{"one length too few", empty[:len(empty)-1], abi.ErrFrameShort, 0},
		{"a million attachments", append([]byte("\x00\x00\x00\x00\x40\x42\x0f\x00"), make([]byte, 4<<20)...), abi.ErrFrameAttachments, 0},
		{"a header of 64 MiB", []byte("\x00\x00\x00\x04\x00\x00\x00\x00{}"), abi.ErrFrameShort, 0},
		{"64 Ki attachments of 4 GiB", append([]byte("\x00\x00\x00\x00\x00\x00\x01\x00"), bytes.Repeat([]byte{0xff}, 4<<16)...), abi.ErrFrameShort, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := abi.DecodeFrame(c.in)
			require.Equal(t, c.want, err)
			require.LessOrEqual(t, testing.AllocsPerRun(3, func() { _, _ = abi.DecodeFrame(c.in) }), c.most)
		})
	}
}

// FuzzDecodeFrame: any bytes either are one frame, which encodes to the same
// bytes, or an error; never both, never a panic.
func FuzzDecodeFrame(f *testing.F) {
	for _, s := range []string{"", "\x02\x00\x00\x00\x00\x00\x00\x00{}", "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00x", "\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x00\x00\x00\x04\x00\x00\x00\x00{}", "\x00\x00\x00\x00\x40\x42\x0f\x00", "\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00x",
		"\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xffx"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := abi.DecodeFrame(b)
		if err != nil {
			require.Nil(t, fr)
			return
		}
		again, err := fr.Append(nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, again))
	})
}

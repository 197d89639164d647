package text

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
)

// An ending context is one that ends after it was asked left times; it counts how
// often it was asked.
type ending struct {
	context.Context
	left, asked int
}

var errEnded = errors.New("ended")

func (e *ending) Err() error {
	if e.asked++; e.asked > e.left {
		return errEnded
	}
	return nil
}

// TestR10DecodeStops: however hard a text is to read, the context is asked again
// and again, and work ends when it has ended.
func TestR10DecodeStops(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, line := range map[string]string{
		"stray bytes":  "\u6d4b\u6d4b\xff\n",
		"cyrillic":     "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xdd\xf2\xee \xf2\xe5\xea\xf1\xf2.\n",
		"shift_jis":    "\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\x82\xc5\x82\xb7\x81\x42\n",
		"latin":        "caf\xe9 au lait\r",
		"utf-16":       "a\x00b\x00\r\x00\n\x00",
		"no encoding":  "\xa0\x81\xfe\x8d\x9d\xc3\x8f",
		"mixed ends":   "a\rb\r\nc\n",
		"carriage":     "\r",
		"utf-16 marks": "\xff\xfea\x00\r\x00",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := bytes.Repeat([]byte(line), size/len(line))
			all := &ending{left: 1 << 30}
			d, err := DecodeContext(all, raw)
			require.NoError(t, err)
			require.Greater(t, all.asked, 15, "a MiB in pieces")
			for _, left := range []int{0, 1, all.asked / 3, all.asked / 2, all.asked - 1} {
				_, err := DecodeContext(&ending{left: left}, raw)
				require.Equal(t, errEnded, err)
			}

			// Every second line is written anew.
			lines := bytes.SplitAfter(d.Text, []byte{'\n'})
			var insert []byte
			for i, l := range lines {
				if i%2 == 0 {
					insert = append(insert, "new "...)
				}
				insert = append(insert, l...)
			}
			splices := []Splice{{Del: len(d.Text), Insert: insert}}
			all = &ending{left: 1 << 30}
			_, err = d.EditContext(all, splices)
			if !errors.Is(err, ErrEncodingUnknown) {
				require.NoError(t, err)
			}
			for _, left := range []int{0, all.asked / 2, all.asked - 1} {
				_, err = d.EditContext(&ending{left: left}, splices)
				require.Equal(t, errEnded, err)
			}
		})
	}
}

// TestWatchTransform compares with the whole text transformed at once: a piece may
// end inside a character, or of several that are one escape sequence.
func TestWatchTransform(t *testing.T) {
	t.Parallel()
	w := watch{context.Background()}
	all := []*codec{utf16le, utf16be, utf32le, utf32be, windows1252}
	for _, some := range detected {
		all = append(all, some...)
	}
	for _, c := range all {
		name := c.name
		// What the encoding has of this.
		text, err := encoding.ReplaceUnsupported(c.enc.NewEncoder()).Bytes([]byte("日本語 text é Привет Γειά שלום\n"))
		require.NoError(t, err)
		text, err = c.enc.NewDecoder().Bytes(text)
		require.NoError(t, err)
		text = bytes.Repeat(text, 5_000)
		want, err := c.enc.NewEncoder().Bytes(text)
		got, ourErr := w.transform(c.enc.NewEncoder(), text)
		require.Equal(t, err, ourErr, name)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, got), name)
		back, err := w.transform(c.enc.NewDecoder(), got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, back), name)
		cut, err := c.enc.NewDecoder().Bytes(got[:len(got)-2])
		require.NoError(t, err)
		back, err = w.transform(c.enc.NewDecoder(), got[:len(got)-2])
		require.NoError(t, err)
		require.True(t, bytes.Equal(cut, back), name)
	}
}

package host

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// patterned is a memory of some pages with zeros, single bytes at borders of chunks
// and runs in it.
func patterned(pages int) []byte {
	b := make([]byte, pages*pageSize)
	for _, at := range []int{0, chunk - 1, chunk, 5*chunk + 7, pageSize - 1, len(b) - 1} {
		b[at] = byte(at%255) + 1
	}
	copy(b[9*chunk:], bytes.Repeat([]byte("run"), 3*chunk))
	return b
}

func imageOf(b []byte) *image {
	return &image{pages: uint32(len(b) / pageSize), globals: []uint64{1, 1 << 63}, runs: takeRuns(b)}
}

func (im *image) memory() []byte {
	b := make([]byte, int(im.pages)*pageSize)
	for _, r := range im.runs {
		copy(b[r.offset:], r.bytes)
	}
	return b
}

// TestImage: an image gives back what was taken, from the cache too, and holds no
// more than what is not zero.
func TestImage(t *testing.T) {
	b := patterned(3)
	im := imageOf(b)
	require.Equal(t, b, im.memory())
	size := 0
	for _, r := range im.runs {
		size += len(r.bytes)
	}
	require.Less(t, size, 20*chunk)
	again, err := decodeImage(im.encode())
	require.NoError(t, err)
	require.Equal(t, b, again.memory())
	require.Equal(t, im.globals, again.globals)
	for n := range len(im.encode()) {
		_, err := decodeImage(im.encode()[:n])
		require.ErrorIs(t, err, errImage)
		if n > 200 {
			break
		}
	}
	_, err = decodeImage(append(im.encode(), 0))
	require.ErrorIs(t, err, errImage)
}

// FuzzImage: no bytes make decoding fail otherwise than with an error, or give runs
// outside of the memory.
func FuzzImage(f *testing.F) {
	f.Add(imageOf(patterned(1)).encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		im, err := decodeImage(b)
		if err != nil {
			require.ErrorIs(t, err, errImage)
			return
		}
		for _, r := range im.runs {
			require.LessOrEqual(t, int(r.offset)+len(r.bytes), int(im.pages)*pageSize)
		}
		require.Equal(t, b, im.encode())
	})
}

package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every byte at every place of a word and behind the last one, against the
// definition in spec/tools.md: [\x00-\x08\x0e-\x1f\x7f].
func TestHasControl(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		want := c <= 0x08 || c >= 0x0e && c <= 0x1f || c == 0x7f
		for at := range 19 {
			b := []byte(strings.Repeat("aé\t", 5)[:19])
			b[at] = byte(c)
			require.Equal(t, want, hasControl(b), "byte %#x at %d", c, at)
			require.Equal(t, want, hasControl([]byte{byte(c)}), "byte %#x", c)
		}
	}
}

func TestIsASCII(t *testing.T) {
	t.Parallel()
	require.True(t, isASCII(nil))
	for at := range 19 {
		b := []byte(strings.Repeat("\x7f", 19))
		require.True(t, isASCII(b))
		b[at] = 0x80
		require.False(t, isASCII(b), "at %d", at)
	}
}

package selftest

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScript: what script writes is what a puppet reads.
func TestScript(t *testing.T) {
	steps := []step{{op: opOpen, a: 1, b: 2, c: 1 << 40, one: "path\x00"}, {op: opTrap}, request(`{"op":"stat"}`, "/x"), {op: opLink, one: "a", two: "b"}}
	got, err := parseScript(script(steps))
	require.NoError(t, err)
	require.Equal(t, steps, got)
}

func TestReplies(t *testing.T) {
	le := binary.LittleEndian
	b := append(le.AppendUint32(le.AppendUint64(nil, 7), 2), "ab"...)
	b = le.AppendUint32(le.AppendUint64(b, 1<<64-44), 0)
	got, err := parseReplies([]byte(hex.EncodeToString(b)), 2)
	require.NoError(t, err)
	require.Equal(t, []reply{{7, []byte("ab")}, {-44, []byte{}}}, got)
	for _, bad := range []string{"", "0", "zz", hex.EncodeToString(b[:len(b)-1]), hex.EncodeToString(append(b, 0)), hex.EncodeToString(le.AppendUint32(le.AppendUint64(nil, 0), 1<<31))} {
		_, err := parseReplies([]byte(bad), 2)
		require.Error(t, err, bad)
	}
}

// FuzzReplies: whatever a guest answers, reading it does not panic, and what is read
// was there.
func FuzzReplies(f *testing.F) {
	f.Add([]byte("0700000000000000020000006162"), 1)
	f.Add([]byte("ffffffffffffffffffffffff"), 1)
	f.Fuzz(func(t *testing.T, text []byte, want int) {
		replies, err := parseReplies(text, want)
		if err != nil {
			return
		}
		n := 0
		for _, r := range replies {
			n += 12 + len(r.data)
			answerOf(r)
		}
		require.Equal(t, len(text), 2*n)
		require.Len(t, replies, want)
	})
}

// FuzzChangeCode: a cache entry of any form is changed in its code, of the same
// length, or left alone.
func FuzzChangeCode(f *testing.F) {
	f.Add([]byte("WAZEVO\x01v\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00fair\x00\x00\x00\x00"))
	f.Add([]byte("WAZEVO\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if changed, ok := changeCode(b); ok {
			require.Len(t, changed, len(b))
			require.NotEqual(t, b, changed)
		}
	})
}

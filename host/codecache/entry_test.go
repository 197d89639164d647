package codecache

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var testKey = bytes.Repeat([]byte{7}, keySize)

// wrongMAC is why an entry is refused that somebody has changed.
const wrongMAC = "its MAC is wrong: it was changed, or stored under another name or key"

func TestEntryRoundTrip(t *testing.T) {
	for name, parts := range map[string][][]byte{
		"no part":          {},
		"one":              {[]byte("code")},
		"several":          {[]byte("code"), []byte("image"), []byte("globals")},
		"empty parts":      {{}, []byte("x"), {}},
		"much":             {bytes.Repeat([]byte("0123456789"), 100_000)},
		"what looks alike": {[]byte(magic), make([]byte, 64)},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := seal(testKey, "n", parts)
			require.NoError(t, err)
			got, err := open(testKey, "n", b)
			require.NoError(t, err)
			require.Equal(t, parts, got)
		})
	}
}

// TestPartsAreSlices: what is handed out is the buffer that was verified, and no
// part can grow into the next.
func TestPartsAreSlices(t *testing.T) {
	b, err := seal(testKey, "n", [][]byte{[]byte("one"), []byte("two")})
	require.NoError(t, err)
	parts, err := open(testKey, "n", b)
	require.NoError(t, err)
	at := bytes.Index(b, []byte("onetwo"))
	require.Same(t, &b[at], &parts[0][0])
	require.Equal(t, 3, cap(parts[0]))
}

// TestS1EveryBit: an entry of which any one bit was changed is refused, from the
// file.
func TestS1EveryBit(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	require.NoError(t, c.Store("n", [][]byte{[]byte("code"), []byte("image")}))
	good, err := os.ReadFile(p.entry("n"))
	require.NoError(t, err)
	require.Len(t, good, 8+8+16+9+28)
	f, err := os.OpenFile(p.entry("n"), os.O_WRONLY, 0)
	require.NoError(t, err)
	defer f.Close()
	for i := range good {
		for bit := range 8 {
			_, err := f.WriteAt([]byte{good[i] ^ 1<<bit}, int64(i))
			require.NoError(t, err)
			want := wrongMAC
			if i < len(magic) {
				want = "it is empty, damaged or of another version"
			}
			require.Equal(t, want, poisoned(t, c, "n"), "byte %d, bit %d", i, bit)
		}
		_, err := f.WriteAt(good[i:i+1], int64(i))
		require.NoError(t, err)
	}
	parts, err := load(c, "n")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("code"), []byte("image")}, parts)
}

// TestEntryRefused: whatever is not what was stored under this name, by this
// version, with this key.
func TestEntryRefused(t *testing.T) {
	parts := [][]byte{[]byte("code"), []byte("image")}
	good, err := seal(testKey, "n", parts)
	require.NoError(t, err)
	other, err := seal(testKey, "n", [][]byte{[]byte("code2"), []byte("mage")})
	require.NoError(t, err)
	require.Len(t, other, len(good))

	t.Run("cut short", func(t *testing.T) {
		for n := range good {
			_, err := open(testKey, "n", good[:n])
			require.Error(t, err, n)
			require.IsType(t, unfitError(""), err)
		}
	})
	edit := func(f func(b []byte) []byte) []byte { return f(slices.Clone(good)) }
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		b    []byte
	}{
		{"longer by a byte", edit(func(b []byte) []byte { return append(b, 0) })},
		{"longer by another seal", edit(func(b []byte) []byte { return append(b, good[len(good)-sealSize:]...) })},
		{"a byte between parts and seal", edit(func(b []byte) []byte { return slices.Insert(b, len(b)-sealSize, 0) })},
		{"another border between the parts", edit(func(b []byte) []byte {
			le.PutUint64(b[16:], 5)
			le.PutUint64(b[24:], 4)
			return b
		})},
		{"one part fewer, its length a part's bytes", edit(func(b []byte) []byte { le.PutUint64(b[8:], 1); return b })},
		{"a huge number of parts", edit(func(b []byte) []byte { le.PutUint64(b[8:], math.MaxUint64); return b })},
		{"a huge part", edit(func(b []byte) []byte { le.PutUint64(b[16:], math.MaxUint64-8); return b })},
		{"the parts of one, the seal of another", edit(func(b []byte) []byte {
			return append(b[:len(b)-sealSize], other[len(other)-sealSize:]...)
		})},
		{"the seal of no parts", edit(func(b []byte) []byte { return append(b[:16], b[len(b)-sealSize:]...) })},
		{"a seal of zeros", edit(func(b []byte) []byte { clear(b[len(b)-sealSize:]); return b })},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := open(testKey, "n", c.b)
			require.Equal(t, unfitError(wrongMAC), err)
		})
	}
	t.Run("another name", func(t *testing.T) {
		for _, name := range []string{"m", "", "n ", "n\x00", "N", "nn"} {
			_, err := open(testKey, name, good)
			require.Equal(t, unfitError(wrongMAC), err, "%q", name)
		}
	})
	t.Run("another key", func(t *testing.T) {
		_, err := open(make([]byte, keySize), "n", good)
		require.Equal(t, unfitError(wrongMAC), err)
	})
}

// TestS2OtherVersion: an entry of another version of the format is refused, also
// when it claims to be of this one.
func TestS2OtherVersion(t *testing.T) {
	good, err := seal(testKey, "n", [][]byte{[]byte("code")})
	require.NoError(t, err)
	old := append([]byte("ohcode0\n"), good[len(magic):]...)
	_, err = open(testKey, "n", old)
	require.Equal(t, unfitError("it is empty, damaged or of another version"), err)

	// What version 0 would have sealed differs from version 1 in the derived key
	// and in the authenticated magic. Sealed with the right key, the magic alone
	// must be enough:
	mac, err := newMAC(testKey, "n")
	require.NoError(t, err)
	body := old[:len(old)-sealSize]
	claims := append([]byte(magic), mac.Seal(slices.Clone(body), nil, nil, body)[len(magic):]...)
	_, err = open(testKey, "n", claims)
	require.Equal(t, unfitError(wrongMAC), err)
}

// TestSealsDiffer: the same parts are sealed with another nonce each time.
func TestSealsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		b, err := seal(testKey, "n", nil)
		require.NoError(t, err)
		seen[string(b[len(b)-sealSize:][:12])] = true
	}
	require.Len(t, seen, 100)
}

// TestEntryTooLarge: the parts are not copied before they are measured.
func TestEntryTooLarge(t *testing.T) {
	half := make([]byte, maxEntry/2)
	_, err := seal(testKey, "n", [][]byte{half, half})
	require.EqualError(t, err, "it would have more than 536870912 bytes")
}

func FuzzOpen(f *testing.F) {
	good, err := seal(testKey, "n", [][]byte{[]byte("code"), {}, []byte("image")})
	require.NoError(f, err)
	for n := range good {
		f.Add(good[:n])
	}
	f.Add(append(slices.Clone(good), 0))
	key := bytes.Repeat([]byte{8}, keySize) // no seed was sealed with it: whatever is accepted is forged
	f.Fuzz(func(t *testing.T, b []byte) {
		parts, err := open(key, "n", b)
		require.IsType(t, unfitError(""), err)
		require.Nil(t, parts)
	})
}

// FuzzSplit is behind the MAC: what is split is laid out as seal does it, to the
// byte.
func FuzzSplit(f *testing.F) {
	for _, parts := range [][][]byte{{}, {{}}, {[]byte("code"), {}, []byte("image")}} {
		b, err := seal(testKey, "n", parts)
		require.NoError(f, err)
		f.Add(b[:len(b)-sealSize])
		f.Add(b)
	}
	f.Add([]byte(magic + strings.Repeat("\xff", 16)))
	f.Fuzz(func(t *testing.T, b []byte) {
		parts, err := split(b)
		if err != nil {
			require.Equal(t, unfitError("its lengths do not add up"), err)
			return
		}
		again, err := seal(testKey, "n", parts)
		require.NoError(t, err)
		require.Equal(t, string(b[len(magic):]), string(again[len(magic):len(again)-sealSize]))
	})
}

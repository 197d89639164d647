package codecache

import (
	"crypto/hmac"
	"crypto/sha256"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// benchSize is about the compiled code of one of our plugins.
const benchSize = 8 << 20

func benchData() []byte {
	b := make([]byte, benchSize)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// BenchmarkMAC compares what could authenticate an entry.
func BenchmarkMAC(b *testing.B) {
	data := benchData()
	b.Run("GMAC", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			mac, err := newMAC(testKey, "n")
			if err != nil {
				b.Fatal(err)
			}
			mac.Seal(nil, nil, nil, data)
		}
	})
	b.Run("HMAC-SHA256", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			mac := hmac.New(sha256.New, testKey)
			mac.Write(data)
			mac.Sum(nil)
		}
	})
}

// BenchmarkLoad is what a program that starts waits for: opening the cache, and
// loading an entry, beside the plain read of the same file.
func BenchmarkLoad(b *testing.B) {
	p := newPlace(b)
	c := p.open(b)
	require.NoError(b, c.Store("n", [][]byte{benchData()}))
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			c, err := Open(p.dir, p.key, nil)
			if err != nil {
				b.Fatal(err)
			}
			c.Close()
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			if _, err := load(c, "n"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain read", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			if _, err := os.ReadFile(p.entry("n")); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkScratch is the way of an entry to an engine that opens paths.
func BenchmarkScratch(b *testing.B) {
	data := benchData()
	b.Run("new and close", func(b *testing.B) {
		for b.Loop() {
			s, err := NewScratch()
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write and empty", func(b *testing.B) {
		s, err := NewScratch()
		require.NoError(b, err)
		defer s.Close()
		b.SetBytes(benchSize)
		for b.Loop() {
			if err := s.Write("wazero/code", data); err != nil {
				b.Fatal(err)
			}
			if err := s.Empty(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

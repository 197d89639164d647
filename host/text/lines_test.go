package text

import (
	"context"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommonLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, a, b string
		want       []match
	}{
		{"none", "a\nb\n", "c\nd\n", []match{}},
		{"one", "a\nx\nb\n", "c\nx\nd\n", []match{{1, 1}}},
		{"crossing", "x\ny\nz\n", "z\nx\ny\n", []match{{0, 1}, {1, 2}}},
		{"repeated", "x\nx\n", "x\n", []match{{0, 0}}},
		{"without newline", "x\ny", "x\ny\n", []match{{0, 0}}},
		{"empty", "", "", []match{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, commonLines(watch{context.Background()}, splitLines([]byte(tt.a)), splitLines([]byte(tt.b))))
		})
	}
}

// The length of the subsequence against the textbook's table.
func TestCommonLinesIsLongest(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewSource(1))
	for range 300 {
		a, b := randomLines(rnd), randomLines(rnd)
		table := make([][]int, len(a)+1)
		for i := range table {
			table[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
				if string(a[i]) == string(b[j]) {
					table[i+1][j+1] = table[i][j] + 1
				}
			}
		}
		matches := commonLines(watch{context.Background()}, a, b)
		require.Len(t, matches, table[len(a)][len(b)])
		last := match{-1, -1}
		for _, m := range matches {
			require.Equal(t, string(a[m.a]), string(b[m.b]))
			require.Greater(t, m.a, last.a)
			require.Greater(t, m.b, last.b)
			last = m
		}
	}
}

func randomLines(rnd *rand.Rand) [][]byte {
	lines := make([][]byte, rnd.Intn(12))
	for i := range lines {
		lines[i] = []byte{byte('a' + rnd.Intn(4)), '\n'}
	}
	return lines
}

// Ten thousand equal lines on both sides make more pairs than are looked at;
// the others are matched all the same.
func TestCommonLinesBound(t *testing.T) {
	t.Parallel()
	var sb strings.Builder
	for i := range 10_000 {
		sb.WriteString("}\n" + strconv.Itoa(i) + "\n")
	}
	lines := splitLines([]byte(sb.String()))
	require.Len(t, commonLines(watch{context.Background()}, lines, lines), 10_000)
}

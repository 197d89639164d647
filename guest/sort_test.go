package guest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestSortByName(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		es := make([]abi.Entry, r.IntN(200))
		letters := 1 + r.IntN(256)
		for i := range es {
			name := make([]byte, r.IntN(6))
			for k := range name {
				name[k] = byte(255 - r.IntN(letters))
			}
			es[i].Name = string(name)
		}
		want := slices.SortedFunc(slices.Values(es), func(a, b abi.Entry) int { return strings.Compare(a.Name, b.Name) })
		sortByName(es, 0)
		require.Equal(t, want, es)
		sortByName(es, 0)
		require.Equal(t, want, es, "sorted already")
	}
	// Every name is the beginning of the next: as deep as it gets.
	long := strings.Repeat("a", 255)
	var es []abi.Entry
	for i := range 256 {
		es = append(es, abi.Entry{Name: long[:255-i]})
	}
	sortByName(es, 0)
	for i := range es {
		require.Equal(t, long[:i], es[i].Name)
	}
}

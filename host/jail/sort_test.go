package jail

import (
	"context"
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
	for range 200 {
		es := make([]abi.Entry, r.IntN(300))
		for i := range es {
			name := make([]byte, 1+r.IntN(6))
			for k := range name {
				name[k] = "a\xffb."[r.IntN(4)]
			}
			es[i] = abi.Entry{Name: string(name), Size: int64(i)}
		}
		want := slices.Clone(es)
		byName := func(a, b abi.Entry) int { return strings.Compare(a.Name, b.Name) }
		slices.SortFunc(want, byName)
		sortByName(context.Background(), es, 0)
		require.True(t, slices.IsSortedFunc(es, byName))
		require.ElementsMatch(t, want, es)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	es := []abi.Entry{{Name: "b"}, {Name: "a"}}
	sortByName(ctx, es, 0)
	require.Equal(t, []abi.Entry{{Name: "b"}, {Name: "a"}}, es, "it gives up")
}

package jail

import (
	"context"

	"github.com/ohhost/ohhost/abi"
)

// sortByName sorts entries by name, byte by byte; the first depth bytes of their
// names are alike. It is Bentley's and Sedgewick's multikey quicksort. No order is
// slow, since there are no more pivots than values of a byte. Where ctx ends, the
// entries are left in any order.
func sortByName(ctx context.Context, es []abi.Entry, depth int) {
	for len(es) > 1 && ctx.Err() == nil {
		pivot := byteAt(&es[len(es)/2], depth)
		low, high := 0, len(es)
		for i := 0; i < high; {
			switch c := byteAt(&es[i], depth); {
			case c < pivot:
				es[i], es[low] = es[low], es[i]
				i, low = i+1, low+1
			case c > pivot:
				high--
				es[i], es[high] = es[high], es[i]
			default:
				i++
			}
		}
		sortByName(ctx, es[:low], depth)
		if pivot >= 0 {
			sortByName(ctx, es[low:high], depth+1)
		}
		es = es[high:]
	}
}

// byteAt returns byte i of the entry's name, -1 where the name has ended.
func byteAt(e *abi.Entry, i int) int {
	if i < len(e.Name) {
		return int(e.Name[i])
	}
	return -1
}

package instrument_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFuelIsDeterministic runs generated modules on both engines, twice: each time
// they must be charged the same, at the same places, whatever the budget.
func TestFuelIsDeterministic(t *testing.T) {
	rounds := 60
	if raced {
		rounds = 10
	}
	random := rand.New(rand.NewSource(7))
	all := map[string]bool{}
	for range rounds {
		in := make([]byte, 400)
		random.Read(in)
		wasm, functions := generate(in)
		type fuel struct {
			units  int64
			yields int
			state  string
		}
		for _, budget := range []int64{0, 50, 1 << 20} {
			var want *fuel
			for run, e := range append(engines(), engines()...) {
				m := &meter{budget: budget}
				mod := metered(t, e, m, wasm)
				var results string
				for i, ft := range functions {
					results += callGenerated(mod, fmt.Sprintf("f%d", i), ft, 1)
				}
				got := &fuel{m.charged(mod), m.yields, results + stateOf(mod)}
				if run == 0 {
					want = got
				}
				require.Equal(t, want, got, "%s, run %d", e.name, run)
				all[fmt.Sprint(got.units)] = true
			}
		}
	}
	require.Greater(t, len(all), rounds/2, "all modules use the same fuel")
}

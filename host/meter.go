package host

import (
	"errors"
	"fmt"
)

// quantum is how much fuel a guest gets at a time. Between two times the garbage
// collector waits for it and no deadline is seen, so that the worst that fuel can
// buy, loads that miss every cache at some 15 ns a unit, must stay in the
// milliseconds; see docs/benchmarks.md.
const quantum = 1 << 17

// ErrFuel is the cause of a fault when a guest has used up its fuel.
var ErrFuel = errors.New("out of fuel")

// A meter hands out fuel to one guest, see host/instrument.
type meter struct {
	limit   uint64 // 0 is none
	used    uint64 // of what was handed out before
	granted int64  // what is being used
}

// refill takes back what is left of the last grant and hands out the next.
func (m *meter) refill(left int64) (int64, error) {
	m.settle(left)
	grant := int64(quantum)
	if m.limit > 0 {
		if m.used >= m.limit {
			return 0, fmt.Errorf("%w: the guest has used the %d units of its limit", ErrFuel, m.limit)
		}
		grant = min(grant, int64(min(m.limit-m.used, quantum)))
	}
	m.granted = grant
	return grant, nil
}

// settle notes what was used of the last grant.
func (m *meter) settle(left int64) {
	m.used += uint64(m.granted - left)
	m.granted = 0
}

package instrument

import (
	"errors"
	"fmt"
)

// A scan is what the code of a module was found to do, before it is rewritten.
type scan struct {
	functions []scanned
	// writesTables and usesSegments are set where code changes tables, or reads or
	// drops data segments: what a frozen module could not give back.
	writesTables, usesSegments bool
}

// scanned is one function.
type scanned struct {
	// regions holds what a pass can cost: first that of the code outside of loops,
	// then those of each loop without the loops in it, in order of appearance.
	// Branches go forward but for those to a loop's head, so that each instruction
	// of a region runs at most once a pass.
	regions []int64
	leafs   []leafCall
	calls   bool // anything but a known leaf could be called
	loop    bool // the code begins with a loop, but for instructions without effect on control
}

// A leafCall is a direct call of a defined function, which might be a leaf.
type leafCall struct {
	region int
	callee uint32 // among the defined functions
}

// leaf reports whether a function runs so shortly that its callers pay for it.
func (s *scanned) leaf() bool {
	return len(s.regions) == 1 && !s.calls && len(s.leafs) == 0 && s.regions[0] <= leafMax
}

func (m *Module) scanCode() error {
	m.scan.functions = make([]scanned, len(m.bodies))
	for i := range m.bodies {
		if err := m.scanFunction(&m.scan.functions[i], &m.bodies[i]); err != nil {
			return fmt.Errorf("function %d: %w", i+len(m.importedFunctions), err)
		}
	}
	for i := range m.scan.functions {
		f := &m.scan.functions[i]
		for _, c := range f.leafs {
			if callee := &m.scan.functions[c.callee]; callee.leaf() {
				f.regions[c.region] += callee.regions[0]
			} else {
				f.calls = true
			}
		}
	}
	return nil
}

func (m *Module) scanFunction(f *scanned, b *body) error {
	d := decoder{reader: &reader{b: b.code}, m: m, locals: b.count}
	f.regions = []int64{0}
	region := 0          // where the instruction is
	outer := []int32{-1} // for each open block the region to return to, -1 for none
	straight := true     // nothing so far that branches, calls or loops
	for len(outer) > 0 {
		in := d.next()
		if d.err != nil {
			return fmt.Errorf("at byte %d: %w", in.start, d.err)
		}
		f.regions[region] += cost(in.op)
		switch in.op {
		case opBlock, opIf, opLoop:
			if len(outer) > m.limits.Nesting {
				return &LimitError{What: "nested blocks", Have: uint64(len(outer)), Max: uint64(m.limits.Nesting)}
			}
			back := int32(-1)
			if in.op == opLoop {
				f.loop = f.loop || straight
				back, region = int32(region), len(f.regions)
				f.regions = append(f.regions, costPlain)
			}
			outer = append(outer, back)
			straight = straight && in.op == opBlock
		case opEnd:
			if back := outer[len(outer)-1]; back >= 0 {
				region = int(back)
			}
			outer = outer[:len(outer)-1]
			straight = false
		case opCall, opReturnCall:
			if n := len(m.importedFunctions); int(in.a) >= n {
				f.leafs = append(f.leafs, leafCall{region, in.a - uint32(n)})
			} else {
				f.calls = true
				f.regions[region] += costImport
			}
			straight = false
		case opCallIndirect, opReturnCallInd:
			f.calls, straight = true, false
		case opLocalGet, opLocalSet, opLocalTee, opGlobalGet, opGlobalSet, opI32Const, opI64Const, opF32Const, opF64Const:
		default:
			m.scan.note(in.op)
			straight = false
		}
	}
	if d.at != len(b.code) {
		return errors.New("there is code behind its end")
	}
	return nil
}

func (s *scan) note(op int) {
	switch op {
	case opTableSet, opTableInit, opTableCopy, opTableGrow, opTableFill:
		s.writesTables = true
	case opMemoryInit, opDataDrop:
		s.usesSegments = true
	}
}

// entry reports whether the function is checked where it is entered, and what the
// check charges. Where it is not, a loop that is entered at once is charged with
// what else there is, or the callers are.
func (s *scanned) entry() (charge int64, check bool) {
	if s.leaf() || s.loop && s.regions[0] <= entryInLoopMax {
		return 0, false
	}
	return s.regions[0] + costCall, true
}

// head returns what the check at the head of the n-th loop charges.
func (s *scanned) head(n int) int64 {
	charge := s.regions[n+1]
	if _, check := s.entry(); n == 0 && !check {
		charge += s.regions[0] + costCall
	}
	return charge
}

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
	segments []int64 // what each costs, see segmenter; first that of the entry
	total    int64
	leafs    []leafCall
	calls    bool // anything but a leaf could be called
	loops    bool
	// straight says that the code begins with a loop, but for instructions that
	// only move values: to check the loop is to check the entry.
	straight bool
}

// A leafCall is a direct call of a defined function, which might be a leaf.
type leafCall struct {
	segment int
	callee  uint32 // among the defined functions
}

// leaf reports whether a function is so short that its callers pay for it.
func (s *scanned) leaf() bool {
	return !s.loops && !s.calls && len(s.leafs) == 0 && s.total <= leafMax
}

// short reports whether a function is charged as a whole when it is entered. It is
// none if it calls others: then there could be a million of it on the stack, and
// what they do on the way back was charged long before.
func (s *scanned) short() bool { return !s.loops && !s.calls && s.total <= shortMax }

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
				f.segments[c.segment] += callee.total
				f.total += callee.total
			} else {
				f.calls = true
			}
		}
	}
	return nil
}

func (m *Module) scanFunction(f *scanned, b *body) error {
	d := decoder{reader: &reader{b: b.code}, m: m, locals: b.count}
	s := m.newSegmenter()
	f.segments = append(f.segments, costCall) // of the entry
	straight := true                          // nothing so far but moved values
	for end := false; !end; {
		in := d.next()
		if d.err != nil {
			return fmt.Errorf("at byte %d: %w", in.start, d.err)
		}
		if !s.dead {
			f.segments[len(f.segments)-1] += cost(in.op)
		}
		switch in.op {
		case opCall, opReturnCall:
			if n := len(m.importedFunctions); int(in.a) >= n {
				f.leafs = append(f.leafs, leafCall{len(f.segments) - 1, in.a - uint32(n)})
			} else {
				f.calls = true
				f.segments[len(f.segments)-1] += costImport
			}
		case opCallIndirect, opReturnCallInd:
			f.calls = true
		case opLoop:
			f.straight = f.straight || straight && !f.loops
			f.loops = true
		case opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill, opTableGrow:
			f.calls = true // of what stands in for it
			m.scan.note(in.op)
		default:
			m.scan.note(in.op)
		}
		straight = straight && movesOnly(in.op)
		switch mark := s.step(in, d.targets); {
		case mark&markTest != 0:
			f.segments = append(f.segments, costPlain)
		case mark&markCall != 0 && mark&markSegment != 0:
			f.segments = append(f.segments, costReturn)
		case mark&markSegment != 0:
			f.segments = append(f.segments, 0)
		case mark&markEnd != 0:
			end = true
		}
		if n := len(s.blocks) - 1; n > m.limits.Nesting {
			return &LimitError{What: "nested blocks", Have: uint64(n), Max: uint64(m.limits.Nesting)}
		}
	}
	if d.at != len(b.code) {
		return errors.New("there is code behind its end")
	}
	for _, c := range f.segments {
		f.total += c
	}
	return nil
}

// movesOnly reports whether an instruction neither branches nor calls nor takes
// any time worth a check.
func movesOnly(op int) bool {
	switch op {
	case opBlock, opLocalGet, opLocalSet, opLocalTee, opGlobalGet, opGlobalSet, opI32Const, opI64Const, opF32Const, opF64Const:
		return true
	}
	return false
}

func (s *scan) note(op int) {
	switch op {
	case opTableSet, opTableInit, opTableCopy, opTableGrow, opTableFill:
		s.writesTables = true
	case opMemoryInit, opDataDrop:
		s.usesSegments = true
	}
}

package instrument

import (
	"errors"
	"fmt"
	"slices"
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
	total    int64 // what its instructions cost, each once
	loops    bool
	calls    bool // others, or what stands in for an instruction
	straight bool // it begins with a loop, see movesOnly
}

// leaf reports whether a function is so short that its callers pay for it.
func (s *scanned) leaf() bool { return !s.loops && !s.calls && s.total <= leafMax }

// short reports whether a function is charged as a whole when it is entered.
func (s *scanned) short() bool { return !s.loops && !s.calls && s.total <= shortMax }

// scanCode reads the code of all functions, and refuses what it does not know.
func (m *Module) scanCode() error {
	m.scan.functions = make([]scanned, len(m.bodies))
	for i := range m.bodies {
		if err := m.scanFunction(&m.scan.functions[i], &m.bodies[i]); err != nil {
			return fmt.Errorf("function %d: %w", i+len(m.importedFunctions), err)
		}
	}
	return nil
}

func (m *Module) scanFunction(f *scanned, b *body) error {
	d := decoder{reader: &reader{b: b.code}, m: m, locals: b.count}
	f.total = costEntry
	straight := true
	for depth := 0; depth >= 0; {
		in := d.next()
		if d.err != nil {
			return fmt.Errorf("at byte %d: %w", in.start, d.err)
		}
		f.total += cost(in.op)
		switch in.op {
		case opBlock, opIf, opLoop:
			if depth++; depth > m.limits.Nesting {
				return &LimitError{What: "nested blocks", Have: uint64(depth), Max: uint64(m.limits.Nesting)}
			}
			if in.op == opLoop {
				f.straight = f.straight || straight
				f.loops = true
			}
		case opEnd:
			depth--
		}
		if l := d.highestLabel(in); l > int64(depth) {
			// Security: the code will be in one more block, where it would exist.
			return fmt.Errorf("at byte %d: label %d does not exist", in.start, l)
		}
		f.calls = f.calls || isCall(in.op) || standsIn(in.op)
		straight = straight && movesOnly(in.op)
		m.scan.note(in.op)
	}
	if d.at != len(b.code) {
		return errors.New("there is code behind its end")
	}
	return nil
}

// highestLabel returns the highest label that an instruction branches to, -1 if it
// does not branch.
func (d *decoder) highestLabel(in instruction) int64 {
	switch in.op {
	case opBr, opBrIf:
		return int64(in.a)
	case opBrTable:
		return int64(slices.Max(d.targets))
	}
	return -1
}

// movesOnly reports whether an instruction neither branches nor calls nor takes
// any time worth a check. A loop that only these precede is checked for the entry.
func movesOnly(op int) bool {
	switch op {
	case opBlock, opLocalGet, opLocalSet, opLocalTee, opGlobalGet, opGlobalSet, opI32Const, opI64Const, opF32Const, opF64Const:
		return true
	}
	return false
}

func isCall(op int) bool { return op >= opCall && op <= opReturnCallInd }

// standsIn reports whether an instruction becomes a call, see bulkHelper.
func standsIn(op int) bool {
	switch op {
	case opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill, opTableGrow:
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

// callCost is what a call costs its caller.
func (m *Module) callCost(in instruction) int64 {
	if in.op != opCall && in.op != opReturnCall {
		return cost(in.op)
	}
	n := len(m.importedFunctions)
	if int(in.a) < n {
		return cost(in.op) + costImport
	}
	if callee := &m.scan.functions[int(in.a)-n]; callee.leaf() {
		return cost(in.op) + callee.total
	}
	return cost(in.op)
}

// tests reports whether a call comes to a function that tests the budget when it is
// entered, whoever that is.
func (m *Module) tests(in instruction) bool {
	n := len(m.importedFunctions)
	return in.op == opCall && int(in.a) >= n && !m.scan.functions[int(in.a)-n].leaf()
}

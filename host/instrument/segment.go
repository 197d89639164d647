package instrument

// A segment is code that control enters only at its front: it begins at the
// function's entry, at the head of a loop, behind a call, and wherever branches may
// land. What it costs is charged there at once. Control may leave it before its end, so a charge
// is an upper bound, but for no more than the segment.
//
// A segmenter finds the segments of a function; scanning and rewriting step it
// through the same instructions. Where too much could have run since the budget was
// last tested, it begins one, too: branches go forward but for those to the head of
// a loop, so that this is known when code is read once.
type segmenter struct {
	imports int // functions with lower indices are the host's
	blocks  []openBlock
	dead    bool  // behind a branch, until somebody can land
	run     int64 // what can have run since the last test, at most
}

type openBlock struct {
	op       byte  // block, loop or if; block for the function itself
	targeted bool  // by a branch
	start    int64 // of an if: run where it begins
	run      int64 // most of those that branch to the end
}

// A mark says what follows an instruction.
type mark int

const (
	markSegment mark = 1 << iota // a segment begins
	markTest                     // with a test
	markCall                     // behind a call of another function
	markEnd                      // the function is at its end
)

func (m *Module) newSegmenter() *segmenter {
	return &segmenter{imports: len(m.importedFunctions), blocks: []openBlock{{op: opBlock}}}
}

// step takes the next instruction; targets are the labels of a br_table.
func (s *segmenter) step(in instruction, targets []uint32) mark {
	s.run += cost(in.op)
	if in.op == opCall || in.op == opReturnCall {
		s.run += leafMax // others test themselves
	}
	m := s.control(in, targets)
	if m&markEnd == 0 && !s.dead && s.run > runMax {
		m |= markSegment | markTest
	}
	if m&markTest != 0 {
		s.run = 0
	}
	return m
}

func (s *segmenter) control(in instruction, targets []uint32) mark {
	switch in.op {
	case opBlock:
		s.blocks = append(s.blocks, openBlock{op: opBlock})
	case opLoop:
		s.blocks = append(s.blocks, openBlock{op: opLoop})
		s.dead = false
		return markSegment | markTest
	case opIf:
		s.blocks = append(s.blocks, openBlock{op: opIf, start: s.run})
		return markSegment
	case opElse:
		b := &s.blocks[len(s.blocks)-1]
		s.land(b)
		b.run, s.run = s.run, b.start
		return markSegment
	case opEnd:
		b := s.blocks[len(s.blocks)-1]
		s.blocks = s.blocks[:len(s.blocks)-1]
		if len(s.blocks) == 0 {
			return markEnd
		}
		if b.targeted || b.op != opBlock {
			s.land(&b)
			return markSegment
		}
	case opCall:
		if int(in.a) >= s.imports {
			return markSegment | markCall
		}
		return markCall
	case opCallIndirect:
		return markSegment | markCall
	case opBrIf:
		s.target(in.a)
	case opBr:
		s.target(in.a)
		s.dead = true
	case opBrTable:
		for _, label := range targets {
			s.target(label)
		}
		s.dead = true
	case opReturn, opUnreachable, opReturnCall, opReturnCallInd:
		s.dead = true
	}
	return 0
}

// target notes a branch. A label that does not exist is left to wazero's
// validation.
func (s *segmenter) target(label uint32) {
	if i := len(s.blocks) - 1 - int(label); i >= 0 {
		b := &s.blocks[i]
		b.targeted = true
		b.run = max(b.run, s.run)
	}
}

// land goes on behind a block, or with an else, to which control comes from several
// places.
func (s *segmenter) land(b *openBlock) {
	if s.dead {
		s.run = 0
	}
	s.dead = false
	s.run = max(s.run, b.run, b.start)
}

// leaves reports whether the instruction can leave the function, but by a trap.
func (s *segmenter) leaves(in instruction, targets []uint32) bool {
	outermost := func(label uint32) bool { return int(label) == len(s.blocks)-1 }
	switch in.op {
	case opReturn, opReturnCall, opReturnCallInd:
		return true
	case opBr, opBrIf:
		return outermost(in.a)
	case opBrTable:
		for _, label := range targets {
			if outermost(label) {
				return true
			}
		}
	case opEnd:
		return len(s.blocks) == 1
	}
	return false
}

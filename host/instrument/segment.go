package instrument

// A segment is code that control enters only at its front: it begins at the
// function's entry, at the head of a loop, and wherever branches may land. What it
// costs is charged there at once. Control may leave it before its end, so a charge
// is an upper bound, but for no more than the segment.
//
// A segmenter finds the segments of a function; scanning and rewriting step it
// through the same instructions.
type segmenter struct {
	blocks []openBlock
	dead   bool // behind a branch, until somebody can land
}

type openBlock struct {
	op       byte // block, loop or if; block for the function itself
	targeted bool // by a branch
}

// A mark is what follows an instruction.
type mark int

const (
	markNone mark = iota
	markSegment
	markHead // a segment that is the head of a loop
	markEnd  // the function's end
)

func newSegmenter() *segmenter { return &segmenter{blocks: []openBlock{{op: opBlock}}} }

// step takes the next instruction; targets are the labels of a br_table.
func (s *segmenter) step(in instruction, targets []uint32) mark {
	switch in.op {
	case opBlock:
		s.blocks = append(s.blocks, openBlock{op: opBlock})
	case opLoop:
		s.blocks = append(s.blocks, openBlock{op: opLoop})
		s.dead = false
		return markHead
	case opIf:
		s.blocks = append(s.blocks, openBlock{op: opIf})
		return markSegment
	case opElse:
		s.dead = false
		return markSegment
	case opEnd:
		b := s.blocks[len(s.blocks)-1]
		s.blocks = s.blocks[:len(s.blocks)-1]
		if len(s.blocks) == 0 {
			return markEnd
		}
		if b.targeted || b.op != opBlock {
			s.dead = false
			return markSegment
		}
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
	return markNone
}

// target notes a branch. A label that does not exist is left to wazero's
// validation.
func (s *segmenter) target(label uint32) {
	if i := len(s.blocks) - 1 - int(label); i >= 0 {
		s.blocks[i].targeted = true
	}
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

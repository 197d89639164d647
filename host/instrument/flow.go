package instrument

// A flow is how control goes through one function that keeps its budget in a local:
// where its segments begin, what they cost, and where the budget is tested.
//
// A segment is code that control enters only at its front: it begins at the
// function's entry, at the head of a loop, behind a call, and wherever branches may
// land. What it costs is charged there at once. Control may leave it before its
// end, so a charge is an upper bound, but for no more than the segment. Two kinds
// are so frequent that they are charged with the segment before, which control has
// always come through, as long as they are small: what follows a call, and the arm of
// an if, but for one that goes on behind a call: with it would be charged, long before
// it runs, all that follows.
//
// The budget is tested at the heads of loops, and where runMax could have run since
// the last test.
type flow struct {
	m     *Module
	code  []instruction
	marks []mark
	entry int64 // what the segment of the entry costs

	blocks []openBlock
	dead   bool  // behind a branch, until somebody can land
	called bool  // there was a call that may return
	run    int64 // what can have run since the last test, at most
}

// A mark is a segment's beginning.
type mark struct {
	at   int // behind which instruction; -1 is the entry
	cost int64
	test bool
	call bool // behind a call
}

type openBlock struct {
	op       int   // block, loop or if; block for the function itself
	targeted bool  // by a branch
	late     bool  // control may be in it behind a call
	mark     int   // of an if: the segment of its arm
	start    int64 // of an if: run where it begins
	run      int64 // most of those that branch to the end
}

// Bounds of what is charged or tested with its neighbour.
const (
	mergeMax = 32      // the arm of an if
	tailMax  = 8       // what follows a call: on the way back it was charged long before
	runMax   = 1 << 14 // what may run without a test
)

// newFlow analyses a function; its code was scanned.
func newFlow(m *Module, b *body) *flow {
	f := &flow{m: m, blocks: []openBlock{{op: opBlock}}, marks: []mark{{at: -1, cost: costEntry}}}
	d := decoder{reader: &reader{b: b.code}, m: m, locals: b.count}
	for d.more() {
		in := d.next()
		f.step(in, d.targets)
		f.code = append(f.code, in)
	}
	f.settle()
	f.entry, f.marks = f.marks[0].cost, f.marks[1:]
	return f
}

// step takes the next instruction; targets are the labels of a br_table.
func (f *flow) step(in instruction, targets []uint32) {
	at := len(f.code)
	c := f.m.callCost(in)
	if last := f.marks[len(f.marks)-1]; last.call && last.at == at-1 && in.op != opUnreachable {
		f.called, f.blocks[len(f.blocks)-1].late = true, true
	}
	if !f.dead {
		f.marks[len(f.marks)-1].cost += c
	}
	f.run += c
	switch in.op {
	case opBlock:
		f.blocks = append(f.blocks, openBlock{op: opBlock})
	case opLoop:
		f.blocks = append(f.blocks, openBlock{op: opLoop})
		f.dead = false
		f.begin(mark{at: at, cost: costPlain, test: true})
	case opIf:
		f.begin(mark{at: at})
		f.blocks = append(f.blocks, openBlock{op: opIf, start: f.run, mark: len(f.marks) - 1})
	case opElse:
		b := &f.blocks[len(f.blocks)-1]
		f.land(b)
		b.op, b.run, f.run = opElse, f.run, b.start
		f.begin(mark{at: at})
	case opEnd:
		f.end(at)
	case opCall, opCallIndirect:
		if in.op == opCallIndirect || f.m.tests(in) {
			f.begin(mark{at: at, call: true})
		}
	case opBrIf:
		f.target(in.a)
	case opBr:
		f.target(in.a)
		f.dead = true
	case opBrTable:
		for _, label := range targets {
			f.target(label)
		}
		f.dead = true
	case opReturn, opUnreachable, opReturnCall, opReturnCallInd:
		f.dead = true
	}
	if !f.dead && f.run > runMax && len(f.blocks) > 0 {
		f.begin(mark{at: at, test: true})
	}
}

// end closes a block.
func (f *flow) end(at int) {
	b := f.blocks[len(f.blocks)-1]
	f.blocks = f.blocks[:len(f.blocks)-1]
	if len(f.blocks) == 0 {
		return
	}
	if b.late = b.late && (!f.dead || b.targeted || b.op == opElse); b.late {
		f.blocks[len(f.blocks)-1].late = true
	}
	if b.op == opIf && !b.late {
		f.settle()
		if last := len(f.marks) - 1; last == b.mark && !f.marks[last].test && f.marks[last].cost <= mergeMax {
			f.merge()
			f.land(&b)
			return
		}
	}
	if b.targeted || b.op != opBlock {
		f.land(&b)
		f.begin(mark{at: at})
	}
}

// begin begins a segment. A second one at the same place, of a test, joins the
// first.
func (f *flow) begin(m mark) {
	if last := &f.marks[len(f.marks)-1]; last.at == m.at {
		last.test = last.test || m.test
		last.cost += m.cost
	} else {
		f.settle()
		f.marks = append(f.marks, m)
	}
	if m.test {
		f.run = 0
	}
}

// settle ends the last segment: what follows a call joins the one before if it is
// small.
func (f *flow) settle() {
	if last := f.marks[len(f.marks)-1]; last.call && !last.test && last.cost <= tailMax {
		f.merge()
	}
}

// merge adds the last segment to the one before.
func (f *flow) merge() {
	last := len(f.marks) - 1
	f.marks[last-1].cost += f.marks[last].cost
	f.marks = f.marks[:last]
}

// target notes a branch; the label exists.
func (f *flow) target(label uint32) {
	b := &f.blocks[len(f.blocks)-1-int(label)]
	b.targeted = true
	b.late = b.late || f.called
	b.run = max(b.run, f.run)
}

// land goes on behind a block, or with an else, to which control comes from several
// places.
func (f *flow) land(b *openBlock) {
	if f.dead {
		f.run = 0
	}
	f.dead = false
	f.run = max(f.run, b.run, b.start)
}

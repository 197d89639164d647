package instrument

// Names that a rewritten module has for the host; all begin with Reserved.
const (
	// ImportModule and ImportYield name the function that the host gives: takes
	// what is left of the budget (negative) and returns a new one, i64 each.
	ImportModule = Reserved
	ImportYield  = "yield"
	// ExportBudget is the global, i64, that holds what is left of the budget.
	ExportBudget = Reserved + ".budget"
)

// meter appends a function, locals and code, with checks in it to dst. There are
// three ways:
//
//   - a leaf is left as it is, its callers pay;
//   - a short function without loops and calls is charged as a whole when it is
//     entered;
//   - any other keeps the budget in a local, which costs next to nothing, from its
//     entry to its end but for calls: there the global has it. Each segment is
//     charged where it begins; the budget is tested at the entry, at the head of
//     each loop, behind each call, and in long code without these.
func (w *rewriter) meter(dst []byte, i int) []byte {
	b, s := &w.m.bodies[i], &w.m.scan.functions[i]
	f := meteredFunction{w: w, s: s, local: uint32(b.count), code: code{w: w, b: dst}}
	f.register = !s.leaf() && !s.short()
	if f.register {
		groups := &reader{b: b.locals}
		n := groups.u32()
		f.index(n + 1).bytes(b.locals[groups.at:]).index(1).op(typeI64)
	} else {
		f.bytes(b.locals)
	}
	f.entry()
	d := decoder{reader: &reader{b: b.code}, m: w.m, locals: b.count}
	marks := w.m.newSegmenter()
	segment := 0
	for d.more() {
		in := d.next()
		if f.register && marks.leaves(in, d.targets) {
			f.flush()
		}
		f.instruction(in, b.code[in.start:in.end])
		var cost int64
		mark := marks.step(in, d.targets)
		if mark&markSegment != 0 {
			segment++
			cost = s.segments[segment]
		}
		switch {
		case !f.register, d.more() && b.code[d.at] == opUnreachable: // a trap needs no charge
		case mark&markCall != 0 && f.w.usesBudget(in):
			f.reload()
			if mark&markSegment != 0 { // else the host was called
				f.checked(cost)
			}
		case mark&markTest != 0:
			f.checked(cost)
		default:
			f.segment(cost)
		}
	}
	return f.b
}

// A meteredFunction is a function's code in the making.
type meteredFunction struct {
	code
	w        *rewriter
	s        *scanned
	register bool   // the budget is in a local
	local    uint32 // which
}

func (f *meteredFunction) entry() {
	switch {
	case f.register:
		f.op(opGlobalGet).index(f.w.budget).i64(f.s.segments[0]).op(opI64Sub)
		if f.s.straight {
			f.set(f.local)
		} else {
			f.tee(f.local)
			f.test()
		}
	case !f.s.leaf():
		f.check(f.s.total)
	}
}

// segment charges a segment that begins here.
func (f *meteredFunction) segment(cost int64) {
	if cost > 0 {
		f.get(f.local).i64(cost).op(opI64Sub).set(f.local)
	}
}

// checked charges a segment that begins here, and tests. Behind a call it does so
// because the way back from a deep recursion has no entries and may have no loops.
func (f *meteredFunction) checked(cost int64) {
	f.get(f.local)
	if cost > 0 {
		f.i64(cost).op(opI64Sub).tee(f.local)
	}
	f.test()
}

// test takes the budget from the stack and yields if it is spent.
func (f *meteredFunction) test() {
	f.i64(0).op(opI64LtS).open(opIf)
	f.get(f.local).call(f.w.yield).set(f.local)
	f.op(opEnd)
}

// flush puts the budget where others find it, reload takes it back from there.
func (f *meteredFunction) flush()  { f.get(f.local).op(opGlobalSet).index(f.w.budget) }
func (f *meteredFunction) reload() { f.op(opGlobalGet).index(f.w.budget).set(f.local) }

// instruction appends one instruction of the original: the same, or a call of what
// stands in for it.
func (f *meteredFunction) instruction(in instruction, original []byte) {
	switch in.op {
	case opRefFunc:
		f.op(opRefFunc).index(f.w.function(in.a))
	case opReturnCall:
		f.op(opReturnCall).index(f.w.function(in.a))
	case opCall:
		if f.register && f.w.usesBudget(in) {
			f.flush()
		}
		f.op(opCall).index(f.w.function(in.a))
	case opCallIndirect:
		if f.register {
			f.flush()
		}
		f.bytes(original)
	default:
		h, ok := f.w.bulkHelper(in)
		switch {
		case !ok:
			f.bytes(original)
		case f.register:
			f.flush()
			f.call(h)
			f.reload()
		default:
			f.call(h)
		}
	}
}

// usesBudget reports whether a call comes to code that looks at the budget: a
// function of the module that charges anything, or the host, which may end the call
// there.
func (w *rewriter) usesBudget(call instruction) bool {
	n := len(w.m.importedFunctions)
	return call.op != opCall || int(call.a) < n || !w.m.scan.functions[int(call.a)-n].leaf()
}

// pauseBody is the function that checks outside of such a function call: it asks
// the host for a new budget.
func (w *rewriter) pauseBody() []byte {
	c := code{w: w, b: []byte{0}} // no locals
	c.op(opGlobalGet).index(w.budget).call(w.yield).op(opGlobalSet).index(w.budget).op(opEnd)
	return c.b
}

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
//     entry to its exit but for calls: there the global has it. Where it is charged
//     and tested in between, see flow.
//
// Entry and exit are tested, too: a recursion has perhaps no loops, and on its way
// back no entries. So that there is one exit, the code becomes a block, which
// returns branch out of.
func (w *rewriter) meter(dst []byte, i int) []byte {
	b, s := &w.m.bodies[i], &w.m.scan.functions[i]
	f := meteredFunction{w: w, local: uint32(b.count), code: code{w: w, b: dst}}
	if s.leaf() || s.short() {
		f.bytes(b.locals)
		if !s.leaf() {
			f.check(s.total)
		}
		for d := (decoder{reader: &reader{b: b.code}, m: w.m, locals: b.count}); d.more(); {
			in := d.next()
			f.instruction(in, b.code[in.start:in.end])
		}
		return f.b
	}
	groups := &reader{b: b.locals}
	n := groups.u32()
	f.index(n + 1).bytes(b.locals[groups.at:]).index(1).op(typeI64)

	flow := newFlow(w.m, b)
	f.op(opGlobalGet).index(w.budget)
	if s.straight { // the loop's head charges and tests
		flow.marks[0].cost += flow.entry
		f.set(f.local)
	} else {
		f.i64(flow.entry).op(opI64Sub).set(f.local)
		f.test()
	}
	f.op(opBlock).bytes(w.blockType(w.m.types[w.m.functions[i]].results))
	depth := uint32(0)
	marks := flow.marks
	for i, in := range flow.code {
		around := standsIn(in.op) || isCall(in.op) && w.usesBudget(in)
		if around {
			f.flush()
		}
		switch in.op {
		case opBlock, opIf, opLoop:
			depth++
		case opEnd:
			depth--
		}
		if in.op == opReturn {
			f.branch(depth)
		} else {
			f.instruction(in, b.code[in.start:in.end])
		}
		var here mark
		if len(marks) > 0 && marks[0].at == i {
			here, marks = marks[0], marks[1:]
		}
		if i+1 < len(flow.code) && flow.code[i+1].op == opUnreachable {
			continue // a trap needs no charge
		}
		if around {
			f.reload()
		}
		f.segment(here)
	}
	f.get(f.local).i64(costExit).op(opI64Sub).op(opGlobalSet).index(w.budget)
	f.code.test()
	f.op(opEnd)
	return f.b
}

// blockType returns the encoded type of a block with these results (5.4.1).
func (w *rewriter) blockType(results []byte) []byte {
	switch len(results) {
	case 0:
		return []byte{blockTypeEmpty}
	case 1:
		return results
	}
	t, ok := w.blocks[string(results)]
	if !ok {
		t = w.funcType(nil, results)
		w.blocks[string(results)] = t
	}
	return appendSigned(nil, int64(t))
}

// A meteredFunction is a function's code in the making.
type meteredFunction struct {
	code
	w     *rewriter
	local uint32 // where the budget is
}

// segment charges a segment that begins here, and tests where that is due.
func (f *meteredFunction) segment(m mark) {
	switch {
	case m.test:
		f.get(f.local).i64(m.cost).op(opI64Sub).set(f.local)
		f.test()
	case m.cost > 0:
		f.get(f.local).i64(m.cost).op(opI64Sub).set(f.local)
	}
}

// test takes the budget from the stack and yields if it is spent.
func (f *meteredFunction) test() {
	f.get(f.local).i64(0).op(opI64GeS).open(opIf).op(opElse)
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
	case opCall, opReturnCall, opRefFunc:
		f.op(byte(in.op)).index(f.w.function(in.a))
	default:
		if h, ok := f.w.bulkHelper(in); ok {
			f.call(h)
		} else {
			f.bytes(original)
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

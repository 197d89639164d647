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

// meterBody appends a function's code with checks in it to dst.
func (w *rewriter) meterBody(dst []byte, i int) []byte {
	b, s := &w.m.bodies[i], &w.m.scan.functions[i]
	d := decoder{reader: &reader{b: b.code}, m: w.m, locals: b.count}
	if charge, check := s.entry(); check {
		dst = w.check(dst, charge)
	}
	loops := 0
	for d.more() {
		in := d.next()
		code := b.code[in.start:in.end]
		switch in.op {
		case opLoop:
			dst = w.check(append(dst, code...), s.head(loops))
			loops++
		case opCall, opReturnCall, opRefFunc:
			dst = appendU32(append(dst, code[0]), w.function(in.a))
		default:
			if h, ok := w.bulkHelper(in); ok {
				dst = appendU32(append(dst, opCall), h)
				continue
			}
			dst = append(dst, code...)
		}
	}
	return dst
}

// check appends code that charges n units and yields if the budget is spent. It
// leaves the stack as it is.
func (w *rewriter) check(dst []byte, n int64) []byte {
	dst = w.charge(dst, n)
	return w.test(dst)
}

// charge appends code that takes n units from the budget.
func (w *rewriter) charge(dst []byte, n int64) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.budget)
	dst = appendSigned(append(dst, opI64Const), n)
	return appendU32(append(dst, opI64Sub, opGlobalSet), w.budget)
}

// test appends code that yields if the budget is spent.
func (w *rewriter) test(dst []byte) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.budget)
	dst = append(dst, opI64Const, 0, opI64LtS, opIf, blockTypeEmpty)
	dst = appendU32(append(dst, opCall), w.pause)
	return append(dst, opEnd)
}

// pauseBody is the function that checks call: it asks the host for a new budget.
func (w *rewriter) pauseBody() []byte {
	c := []byte{0} // no locals
	c = appendU32(append(c, opGlobalGet), w.budget)
	c = appendU32(append(c, opCall), w.yield)
	c = appendU32(append(c, opGlobalSet), w.budget)
	return append(c, opEnd)
}

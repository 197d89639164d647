package instrument

// A bulkKey is a bulk operation with its immediates.
type bulkKey struct {
	op   int
	a, b uint32
}

// bulkHelper returns the function that stands in for a bulk operation: with the
// same parameters and results, but in pieces with checks between them, or charged
// by length. False means that the instruction is not such an operation.
func (w *rewriter) bulkHelper(in instruction) (uint32, bool) {
	key := bulkKey{in.op, in.a, in.b}
	var make func() uint32
	switch in.op {
	case opMemoryInit, opMemoryCopy, opMemoryFill:
		make = func() uint32 { return w.memoryHelper(key) }
	case opTableInit, opTableCopy, opTableFill, opTableGrow:
		make = func() uint32 { return w.tableHelper(key) }
	default:
		return 0, false
	}
	h, ok := w.bulk[key]
	if !ok && len(w.bulk) == w.m.limits.Helpers { // each becomes a function to compile
		w.err = &LimitError{What: "different bulk operations", Have: uint64(len(w.bulk)) + 1, Max: uint64(w.m.limits.Helpers)}
		return 0, true
	}
	if !ok {
		h = make()
		w.bulk[key] = h
	}
	return h, true
}

// memoryHelper adds memory.init, memory.copy or memory.fill as a function of
// (destination, source or value, length), 4.4.7.
func (w *rewriter) memoryHelper(key bulkKey) uint32 {
	op := []byte{prefixMisc, byte(key.op)}
	switch key.op {
	case opMemoryInit:
		op = append(appendU32(op, key.a), 0)
	case opMemoryCopy:
		op = append(op, 0, 0)
	case opMemoryFill:
		op = append(op, 0)
	}
	sourceMoves := key.op != opMemoryFill
	typ := w.funcType([]byte{typeI32, typeI32, typeI32}, nil)
	return w.add(typ, func() []byte {
		c := code{w: w, b: []byte{0}} // no locals but the parameters

		// Few bytes cost no more than the instruction. What fits in a piece is done
		// at once.
		c.get(2).i32(bulkSmall).op(opI32LeU).open(opIf)
		c.get(0).get(1).get(2).bytes(op).op(opReturn).op(opEnd)
		c.get(2).i32(bulkPiece).op(opI32LeU).open(opIf)
		c.chargeBytes(2)
		c.test()
		c.get(0).get(1).get(2).bytes(op).op(opReturn).op(opEnd)

		// The whole must be in bounds before a byte is written. An operation of
		// length 0 behind its ends traps just when the whole would; where such an
		// end is over 2^32, the whole does so itself.
		ends := []uint32{0}
		if sourceMoves {
			ends = append(ends, 1)
		}
		for _, p := range ends {
			c.get(p).get(2).op(opI32Add).get(p).op(opI32LtU).open(opIf)
			c.get(0).get(1).get(2).bytes(op).op(opReturn).op(opEnd)
		}
		c.get(0).get(2).op(opI32Add).get(1)
		if sourceMoves {
			c.get(2).op(opI32Add)
		}
		c.i32(0).bytes(op)

		if key.op == opMemoryCopy { // to a higher address, overlapping: from the end
			c.get(1).get(0).op(opI32LtU).open(opIf).open(opLoop)
			c.check(costPiece)
			c.get(2).i32(bulkPiece).op(opI32Sub).set(2)
			c.get(0).get(2).op(opI32Add).get(1).get(2).op(opI32Add).i32(bulkPiece).bytes(op)
			c.get(2).i32(bulkPiece).op(opI32GtU).branchIf(0)
			c.op(opEnd)
			c.get(0).get(1).get(2).bytes(op).op(opReturn).op(opEnd)
		}
		c.open(opLoop)
		c.check(costPiece)
		c.get(0).get(1).i32(bulkPiece).bytes(op)
		for _, p := range ends {
			c.get(p).i32(bulkPiece).op(opI32Add).set(p)
		}
		c.get(2).i32(bulkPiece).op(opI32Sub).set(2)
		c.get(2).i32(bulkPiece).op(opI32GtU).branchIf(0)
		c.op(opEnd)
		c.get(0).get(1).get(2).bytes(op).op(opEnd)
		return c.b
	})
}

// tableHelper adds an operation on tables as a function (4.4.6). It is done in one
// step, since no table is large, after its length was charged.
func (w *rewriter) tableHelper(key bulkKey) uint32 {
	op := []byte{prefixMisc, byte(key.op)}
	params, results, length := []byte{typeI32, typeI32, typeI32}, []byte(nil), uint32(2)
	op = appendU32(op, key.a)
	switch key.op {
	case opTableInit, opTableCopy:
		op = appendU32(op, key.b)
	case opTableFill:
		params[1] = w.m.tableType(key.a)
	case opTableGrow:
		params, results, length = []byte{w.m.tableType(key.a), typeI32}, []byte{typeI32}, 1
	}
	typ := w.funcType(params, results)
	return w.add(typ, func() []byte {
		c := code{w: w, b: []byte{0}}
		limit := int64(w.m.limits.TableElements) // more fails, and costs as much at most
		c.op(opGlobalGet).index(w.budget)
		c.get(length).i32(limit).get(length).i32(limit).op(opI32LtU).op(opSelect)
		c.op(opI64ExtendI32U).op(opI64Sub).op(opGlobalSet).index(w.budget)
		c.test()
		for p := range params {
			c.get(uint32(p))
		}
		c.bytes(op).op(opEnd)
		return c.b
	})
}

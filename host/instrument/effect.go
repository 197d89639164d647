package instrument

func accessesMemory(op int) bool {
	return op >= opLoadFirst && op <= opStoreLast || op == opTableGet || op == opTableSet ||
		op >= prefixVector<<8 && op <= opVectorLoadLast || op >= prefixVector<<8|84 && op <= prefixVector<<8|93
}

// effect returns how many operands an instruction takes and leaves (3.3). Of those
// that end a block's code it is what they take at least.
func (d *decoder) effect(in instruction) (pop, push int) {
	op := in.op
	switch {
	case op == opIf, op == opBrIf, op == opBrTable, op == opLocalSet, op == opGlobalSet, op == 0x1a: // drop
		return 1, 0
	case op == opBlock, op == opLoop, op == opElse, op == opEnd, op <= opReturn, op == opReturnCall, op == opReturnCallInd,
		op == opDataDrop, op == opElemDrop:
		return 0, 0
	case op == opCall:
		t := d.m.types[d.m.functionType(in.a)]
		return len(t.params), len(t.results)
	case op == opCallIndirect:
		t := d.m.types[in.a]
		return len(t.params) + 1, len(t.results)
	case op == opSelect, op == opSelectTyped:
		return 3, 1
	case op == opLocalGet, op == opGlobalGet, op == opMemorySize, op == opTableSize, op == opRefNull, op == opRefFunc, op == opV128Const,
		op >= opI32Const && op <= opF64Const:
		return 0, 1
	case op == opTableSet, op >= 0x36 && op <= opStoreLast, op == opVectorLoadLast, op >= prefixVector<<8|88 && op <= prefixVector<<8|91:
		return 2, 0
	case op == opTableGrow:
		return 2, 1
	case standsIn(op):
		return 3, 0
	case op == opLocalTee, op == opTableGet, op == opMemoryGrow, op == opRefIsNull, op >= opLoadFirst && op < 0x36, isUnary(op):
		return 1, 1
	case op == prefixVector<<8|82: // v128.bitselect
		return 3, 1
	}
	return 2, 1
}

// isUnary reports whether a numeric instruction has one operand: the tests,
// conversions and functions of one (5.4.7, 5.4.8).
func isUnary(op int) bool {
	switch {
	case op == opI32Eqz, op == 0x50, op >= 0x67 && op <= 0x69, op >= 0x79 && op <= 0x7b, op >= 0x8b && op <= opF32Sqrt,
		op >= 0x99 && op <= opF64Sqrt, op >= 0xa7 && op <= opLastPlain, op >= prefixMisc<<8 && op < opMemoryInit:
		return true
	}
	if op < prefixVector<<8 {
		return false
	}
	switch n := op & 0xff; {
	case n <= 10, n >= 15 && n <= 20, n == 21, n == 22, n == 24, n == 25, n == 27, n == 29, n == 31, n == 33, n == 77, n == 83, n >= 92 && n <= 100, n >= 103 && n <= 106,
		n == 116, n == 117, n == 122, n >= 124 && n <= 129, n == 131, n == 132, n >= 135 && n <= 138, n == 148,
		n == 160, n == 161, n == 163, n == 164, n >= 167 && n <= 170, n == 192, n == 193, n == 195, n == 196, n >= 199 && n <= 202,
		n == 224, n == 225, n == 227, n == 236, n == 237, n == 239, n >= 248:
		return true
	}
	return false
}

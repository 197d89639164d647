package instrument

// Costs in units of fuel, see the package's documentation. They are chosen so that
// no code does much more than a few nanoseconds' work a unit: what misses the
// caches, or calls into the runtime, costs more than what stays in registers.
const (
	costPlain    = 1
	costMemory   = 12  // a load or store can miss every cache
	costDivide   = 12  // also square roots
	costCall     = 6   //
	costEntry    = 6   // of a function
	costExit     = 4   // the way back takes time, too
	costIndirect = 12  // a call through a table, also costs leafMax
	costImport   = 200 // a call of the host
	costGrow     = 2000
	costTable    = 8
	costRef      = 30 // ref.func asks the runtime

	// Bulk operations cost one unit for so many bytes or elements, at the start
	// and for each piece.
	costBulk        = 20
	bytesPerUnit    = 1 << bytesPerUnitLog
	bytesPerUnitLog = 1
	bulkSmall       = 1 << 8  // bytes that cost nothing more
	bulkPiece       = 1 << 16 // bytes
	costPiece       = costBulk + bulkPiece/bytesPerUnit

	leafMax  = 64  // a function without loops and calls that costs no more is not checked
	shortMax = 256 // one without loops and calls that costs no more is charged as a whole
)

// cost is what one instruction costs by itself.
func cost(op int) int64 {
	switch {
	case op == opBlock, op == opLoop, op == opElse, op == opEnd:
		return 0
	case op >= opLoadFirst && op <= opStoreLast,
		op >= prefixVector<<8 && op <= opVectorLoadLast,
		op >= prefixVector<<8|84 && op <= prefixVector<<8|93:
		return costMemory
	case op >= opI32DivS && op <= opI32RemU, op >= opI64DivS && op <= opI64RemU,
		op == opF32Sqrt, op == opF64Sqrt, op == opF32Div, op == opF64Div,
		op >= prefixVector<<8|224 && op <= prefixVector<<8|255:
		return costDivide
	case op == opCall, op == opReturnCall:
		return costCall
	case op == opCallIndirect, op == opReturnCallInd:
		return costIndirect + leafMax
	case op == opMemoryGrow:
		return costGrow
	case op == opTableGet, op == opTableSet:
		return costTable
	case op == opRefFunc:
		return costRef
	case op >= opMemoryInit && op <= opTableFill:
		return costBulk
	}
	return costPlain
}

package instrument

// Opcodes (5.4) that the package treats in some way; the others it only steps
// over. Those after a prefix are written as prefix<<8 | number.
const (
	opUnreachable    = 0x00
	opBlock          = 0x02
	opLoop           = 0x03
	opIf             = 0x04
	opElse           = 0x05
	opEnd            = 0x0b
	opBr             = 0x0c
	opBrIf           = 0x0d
	opBrTable        = 0x0e
	opReturn         = 0x0f
	opCall           = 0x10
	opCallIndirect   = 0x11
	opReturnCall     = 0x12 // tail-call proposal
	opReturnCallInd  = 0x13
	opSelect         = 0x1b
	opSelectTyped    = 0x1c
	opLocalGet       = 0x20
	opLocalSet       = 0x21
	opLocalTee       = 0x22
	opGlobalGet      = 0x23
	opGlobalSet      = 0x24
	opTableGet       = 0x25
	opTableSet       = 0x26
	opLoadFirst      = 0x28
	opStoreLast      = 0x3e
	opMemorySize     = 0x3f
	opMemoryGrow     = 0x40
	opI32Const       = 0x41
	opI64Const       = 0x42
	opF32Const       = 0x43
	opF64Const       = 0x44
	opI32Eqz         = 0x45
	opI32LtU         = 0x49
	opI32GtU         = 0x4b
	opI32LeU         = 0x4d
	opI64LtS         = 0x53
	opI64GeS         = 0x59
	opI32Add         = 0x6a
	opI32Sub         = 0x6b
	opI32Mul         = 0x6c
	opI32DivS        = 0x6d
	opI32RemU        = 0x70
	opI32ShrU        = 0x76
	opI64Add         = 0x7c
	opI64Sub         = 0x7d
	opI64Mul         = 0x7e
	opI64DivS        = 0x7f
	opI64RemU        = 0x82
	opF32Sqrt        = 0x91
	opF32Div         = 0x95
	opF64Sqrt        = 0x9f
	opF64Div         = 0xa3
	opI64ExtendI32U  = 0xad
	opLastPlain      = 0xc4
	opRefNull        = 0xd0
	opRefIsNull      = 0xd1
	opRefFunc        = 0xd2
	prefixMisc       = 0xfc
	prefixVector     = 0xfd
	opMemoryInit     = prefixMisc<<8 | 8
	opDataDrop       = prefixMisc<<8 | 9
	opMemoryCopy     = prefixMisc<<8 | 10
	opMemoryFill     = prefixMisc<<8 | 11
	opTableInit      = prefixMisc<<8 | 12
	opElemDrop       = prefixMisc<<8 | 13
	opTableCopy      = prefixMisc<<8 | 14
	opTableGrow      = prefixMisc<<8 | 15
	opTableSize      = prefixMisc<<8 | 16
	opTableFill      = prefixMisc<<8 | 17
	opV128Const      = prefixVector<<8 | 12
	blockTypeEmpty   = 0x40
	opVectorLoadLast = prefixVector<<8 | 11
)

// A shape is what immediates an instruction has.
type shape byte

const (
	shapeBad     shape = iota // not an instruction that is known here
	shapeNone                 // nothing
	shapeBlock                // a block type
	shapeLabel                // a label
	shapeTargets              // a vector of labels and one more
	shapeFunc                 // a function
	shapeCallInd              // a type and a table
	shapeSelect               // value types
	shapeLocal                //
	shapeGlobal               //
	shapeTable                //
	shapeMemArg               // alignment and offset
	shapeZero                 // a byte that is 0: the memory
	shapeI32                  //
	shapeI64                  //
	shapeFour                 // 4 bytes
	shapeEight                // 8 bytes
	shapeRef                  // a reference type
	shapeData                 // a data segment
	shapeDataMem              // a data segment, and the memory
	shapeTwoMem               // the memory, twice
	shapeElem                 // an element segment
	shapeElemTab              // an element segment and a table
	shapeTwoTab               // two tables
	shapeSixteen              // 16 bytes
	shapeLane                 // a lane
	shapeMemLane              // alignment, offset, and lane
)

// shapes of the one-byte opcodes (5.4.1 to 5.4.7).
var shapes = func() (s [256]shape) {
	set := func(sh shape, ops ...int) {
		for _, op := range ops {
			s[op] = sh
		}
	}
	set(shapeNone, opUnreachable, 0x01, opElse, opEnd, opReturn, 0x1a, 0x1b, opRefIsNull)
	set(shapeBlock, opBlock, opLoop, opIf)
	set(shapeLabel, opBr, opBrIf)
	set(shapeTargets, opBrTable)
	set(shapeFunc, opCall, opReturnCall, opRefFunc)
	set(shapeCallInd, opCallIndirect, opReturnCallInd)
	set(shapeSelect, opSelectTyped)
	set(shapeLocal, opLocalGet, opLocalSet, opLocalTee)
	set(shapeGlobal, opGlobalGet, opGlobalSet)
	set(shapeTable, opTableGet, opTableSet)
	for op := opLoadFirst; op <= opStoreLast; op++ {
		s[op] = shapeMemArg
	}
	set(shapeZero, opMemorySize, opMemoryGrow)
	set(shapeI32, opI32Const)
	set(shapeI64, opI64Const)
	set(shapeFour, opF32Const)
	set(shapeEight, opF64Const)
	for op := opI32Eqz; op <= opLastPlain; op++ {
		s[op] = shapeNone
	}
	set(shapeRef, opRefNull)
	return s
}()

// miscShapes are those of the saturating truncations and the bulk operations (5.4.4
// to 5.4.7).
var miscShapes = [...]shape{
	shapeNone, shapeNone, shapeNone, shapeNone, shapeNone, shapeNone, shapeNone, shapeNone,
	shapeDataMem, shapeData, shapeTwoMem, shapeZero, shapeElemTab, shapeElem, shapeTwoTab, shapeTable, shapeTable, shapeTable,
}

// vectorShape is that of the vector instructions (5.4.8).
func vectorShape(n byte) shape {
	switch {
	case n <= 11, n == 92, n == 93: // loads, a store; loads of one lane with zeros
		return shapeMemArg
	case n == 12, n == 13: // a constant, a shuffle
		return shapeSixteen
	case n >= 21 && n <= 34: // lanes in and out
		return shapeLane
	case n >= 84 && n <= 91: // loads and stores of a lane
		return shapeMemLane
	}
	return shapeNone // wazero knows which of them there are
}

package instrument

import (
	"errors"
	"fmt"
)

// An instruction is one step of a function's code.
type instruction struct {
	op         int    // opcode, see there
	start, end int    // its bytes
	a, b       uint32 // the first two indices among its immediates; of a block how many it takes and leaves
}

// A decoder steps through a function's code.
type decoder struct {
	*reader
	m      *Module
	locals int // how many there are

	targets []uint32 // labels of the last br_table
}

// next reads one instruction. All indices are checked but those of labels, see
// scanFunction.
func (d *decoder) next() instruction {
	in := instruction{start: d.at}
	op := d.byte()
	in.op = int(op)
	sh := shapes[op]
	switch op {
	case prefixMisc:
		n := d.u32()
		sh = shapeBad
		if n < uint32(len(miscShapes)) {
			sh, in.op = miscShapes[n], prefixMisc<<8|int(n)
		}
	case prefixVector:
		// Security: wazero takes one byte for the number, and the second byte of the
		// long ones, 1, for a nop. So no other encoding may pass, or it would see
		// other instructions than this package.
		n := d.byte()
		if n >= 0x80 && d.byte() != 1 {
			d.fail(errors.New("the number of a vector instruction is encoded in a form that is not supported"))
		}
		sh, in.op = vectorShape(n), prefixVector<<8|int(n)
	}
	d.immediates(&in, sh)
	in.end = d.at
	return in
}

func (d *decoder) immediates(in *instruction, sh shape) {
	m := d.m
	switch sh {
	case shapeNone:
	case shapeBlock:
		in.a, in.b = d.blockType()
	case shapeLabel:
		in.a = d.u32()
	case shapeTargets:
		d.targets = d.targets[:0]
		for n := d.count("targets of one br_table", m.limits.BranchTargets); n >= 0 && d.err == nil; n-- {
			d.targets = append(d.targets, d.u32())
		}
	case shapeFunc:
		in.a = d.index("function", m.functionCount())
	case shapeCallInd:
		in.a = d.index("type", len(m.types))
		in.b = d.index("table", m.tableCount())
	case shapeSelect:
		if n, t := d.byte(), d.byte(); n != 1 || !isValueType(t) {
			d.fail(fmt.Errorf("a select of %d types, the first %#x, is not supported", n, t))
		}
	case shapeLocal:
		in.a = d.index("local", d.locals)
	case shapeGlobal:
		in.a = d.index("global", m.globalCount())
	case shapeTable:
		in.a = d.index("table", m.tableCount())
	case shapeMemArg:
		d.u32()
		d.u32()
		d.memory()
	case shapeMemLane:
		d.u32()
		d.u32()
		d.byte()
		d.memory()
	case shapeZero:
		d.zero()
	case shapeTwoMem:
		d.zero()
		d.zero()
	case shapeI32:
		d.signed(32)
	case shapeI64:
		d.signed(64)
	case shapeFour:
		d.take(4)
	case shapeEight:
		d.take(8)
	case shapeSixteen:
		d.take(16)
	case shapeLane:
		d.byte()
	case shapeRef:
		if t := d.byte(); !isRefType(t) {
			d.fail(fmt.Errorf("ref.null of type %#x is not supported", t))
		}
	case shapeData, shapeDataMem:
		if m.dataCount == nil {
			d.fail(errors.New("data segments are used without a data count"))
			return
		}
		in.a = d.index("data segment", int(*m.dataCount))
		if sh == shapeDataMem {
			d.zero()
		}
	case shapeElem:
		in.a = d.index("element segment", len(m.elements))
	case shapeElemTab:
		in.a = d.index("element segment", len(m.elements))
		in.b = d.index("table", m.tableCount())
	case shapeTwoTab:
		in.a = d.index("table", m.tableCount())
		in.b = d.index("table", m.tableCount())
	default:
		d.fail(fmt.Errorf("instruction %#x is not supported", in.op))
	}
}

func (d *decoder) memory() {
	if d.m.memoryCount() == 0 {
		d.fail(errors.New("there is no memory"))
	}
}

func (d *decoder) zero() {
	if d.byte() != 0 {
		d.fail(errors.New("memory 0 is the only one"))
	}
	d.memory()
}

// blockType reads 5.4.1: empty, a value type, or the index of a type. It returns
// the numbers of parameters and results.
func (d *decoder) blockType() (params, results uint32) {
	t := d.signed(33)
	switch {
	case d.err != nil:
	case t >= int64(len(d.m.types)):
		d.fail(fmt.Errorf("type %d does not exist", t))
	case t >= 0:
		return uint32(len(d.m.types[t].params)), uint32(len(d.m.types[t].results))
	case t == blockTypeEmpty-128:
	case t >= -128 && isValueType(byte(t&0x7f)):
		return 0, 1
	default:
		d.fail(fmt.Errorf("block type %d is not supported", t))
	}
	return 0, 0
}

// constant reads a constant expression (3.3.9, with extended-const) and returns
// its bytes; global.get may name the first globals.
func (m *Module) constant(r *reader, globals int) []byte {
	begin := r.at
	d := decoder{reader: r, m: m}
	for r.err == nil {
		at := r.at
		switch op := r.byte(); op {
		case opEnd:
			return r.b[begin:r.at]
		case opGlobalGet:
			r.index("global", globals)
		case opI32Const, opI64Const, opF32Const, opF64Const, opRefNull, opRefFunc, prefixVector,
			opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
			r.at = at
			if in := d.next(); op == prefixVector && in.op != opV128Const {
				r.fail(fmt.Errorf("instruction %#x is not constant", in.op))
			}
		default:
			r.fail(fmt.Errorf("instruction %#x is not constant", op))
		}
	}
	return nil
}

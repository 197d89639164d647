package instrument

// code is a function's code in the making.
type code struct {
	w *rewriter
	b []byte
}

func (c *code) op(op byte) *code        { c.b = append(c.b, op); return c }
func (c *code) index(i uint32) *code    { c.b = appendU32(c.b, i); return c }
func (c *code) bytes(b []byte) *code    { c.b = append(c.b, b...); return c }
func (c *code) get(local uint32) *code  { return c.op(opLocalGet).index(local) }
func (c *code) set(local uint32) *code  { return c.op(opLocalSet).index(local) }
func (c *code) i64(v int64) *code       { c.b = appendSigned(append(c.b, opI64Const), v); return c }
func (c *code) i32(v int64) *code       { c.b = appendSigned(append(c.b, opI32Const), v); return c }
func (c *code) branchIf(l uint32) *code { return c.op(opBrIf).index(l) }
func (c *code) open(op byte) *code      { return c.op(op).op(blockTypeEmpty) }
func (c *code) call(f uint32) *code     { return c.op(opCall).index(f) }
func (c *code) tee(local uint32) *code  { return c.op(opLocalTee).index(local) }
func (c *code) branch(l uint32) *code   { return c.op(opBr).index(l) }

// charge takes n units from the budget in the global.
func (c *code) charge(n int64) {
	c.op(opGlobalGet).index(c.w.budget).i64(n).op(opI64Sub).op(opGlobalSet).index(c.w.budget)
}

// test yields if the budget in the global is spent.
func (c *code) test() {
	c.op(opGlobalGet).index(c.w.budget).i64(0).op(opI64LtS).open(opIf).call(c.w.pause).op(opEnd)
}

// check charges n units and yields if the budget is spent. It leaves the stack as
// it is.
func (c *code) check(n int64) {
	c.charge(n)
	c.test()
}

// chargeBytes charges an operation on as many bytes as a local says.
func (c *code) chargeBytes(local uint32) {
	c.op(opGlobalGet).index(c.w.budget)
	c.get(local).i32(bytesPerUnitLog).op(opI32ShrU).i32(costBulk).op(opI32Add)
	c.op(opI64ExtendI32U).op(opI64Sub).op(opGlobalSet).index(c.w.budget)
}

// chargeItems charges an operation on as many items as a local says, n units each.
func (c *code) chargeItems(local uint32, n int64) {
	c.op(opGlobalGet).index(c.w.budget)
	c.get(local).op(opI64ExtendI32U).i64(n).op(opI64Mul).op(opI64Sub).op(opGlobalSet).index(c.w.budget)
}

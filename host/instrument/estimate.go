package instrument

import "time"

// An estimate is what compiling one function costs wazero (1.12), at most: most of
// what its compiler does is linear, but some grows with the product of locals and
// joins of control flow, or with the square of the blocks, so that a few kilobytes
// can take minutes and gigabytes. The weights are from measurements of some sixty
// families of such functions, and thousands of random ones, on a 2-core x86-64
// machine, where the estimate was at least 0.8 of the time taken and 0.6 of the
// memory; of real functions it is 1.2 to 25 times the time. See RATIONALE.md, "Why
// does a module have so many caps?".
//
// It follows how the compiler's front end forms basic blocks.
type estimate struct {
	vars, globals int // locals, mutable globals

	frames               []frame
	height               int  // of the operand stack
	dead                 bool // behind a branch
	chain, bounds, loops int  // blocks with one way in behind each other; known bounds of memory; open loops
	sets                 int  // local.set and local.tee so far
	deepest              int  // most loops that were open at a time
	joins                int  // joins and heads of loops so far

	// Sums over the function.
	blocks, heads                int
	live, chains, known, args    float64
	nest, phis, edges, loopPhis  float64
	ops, memory, calls, indirect float64
	bulk, reload, aliases        float64
}

// A frame is an open block.
type frame struct {
	op                     int
	height, params, result int
	edges                  int     // to the label
	edgeChain              float64 // sum of the chains at their ends
	chain, bounds          int     // of the last edge; least bounds of all
	elseChain, elseBounds  int     // of an if without else yet, of a loop the way in; else -1
	dead                   bool
	sets                   int
}

// estimateBody estimates a function's code with so many locals.
func estimateBody(d *decoder, t funcType, globals int) *estimate {
	e := &estimate{vars: d.locals, globals: globals, blocks: 2}
	e.frames = []frame{{op: opBlock, result: len(t.results), elseChain: -1}}
	for d.more() && len(e.frames) > 0 {
		e.step(d.next(), d)
	}
	return e
}

// checkCost returns a *LimitError for a function, with its locals, that would take
// too long or too much memory to compile.
func (m *Module) checkCost(code []byte, t funcType) error {
	r := &reader{b: code}
	b := m.parseLocals(r, len(t.params))
	globals := 0
	for _, g := range m.globals {
		if g.mutable {
			globals++
		}
	}
	d := &decoder{reader: r, m: m, locals: b.count}
	e := estimateBody(d, t, globals)
	if d.err != nil {
		return d.err
	}
	if have := e.time(); have > m.limits.CompileTime {
		return &LimitError{What: "milliseconds to compile a function (estimated)", Have: uint64(have.Milliseconds()), Max: uint64(m.limits.CompileTime.Milliseconds())}
	}
	if have := e.bytes(); have > m.limits.CompileMemory {
		return &LimitError{What: "MiB of memory to compile a function (estimated)", Have: uint64(have >> 20), Max: uint64(m.limits.CompileMemory >> 20)}
	}
	return nil
}

// time is how long compiling takes.
func (e *estimate) time() time.Duration {
	b, l, v := float64(e.blocks), float64(e.heads), float64(e.vars)
	// wazero drops phis that are not needed in rounds: one for each loop in a loop.
	perEdge := 350 + 130*float64(e.deepest)
	return time.Duration(5*b*b + 60*e.nest + perEdge*e.edges + 3*e.aliases + 500*e.phis + 500*l*v + l*l*v + 4500*e.loopPhis +
		200*e.live + 150*b*v + 30*e.chains + 60*e.known + 1700*e.args +
		200*e.reload + 600*e.ops + 10000*e.memory + 2000*e.calls + 30000*e.indirect + 30000*e.bulk)
}

// bytes is how much memory it takes.
func (e *estimate) bytes() int64 {
	return int64(100*e.edges + 280*e.phis + 300*float64(e.heads)*float64(e.vars) + 900*e.loopPhis + 26*e.known + 30*e.live +
		180*e.reload + 2000*float64(e.blocks) + 300*e.ops + 4500*e.memory + 1400*e.calls + 13000*e.indirect + 25000*e.bulk + 450*e.args)
}

func (e *estimate) step(in instruction, d *decoder) {
	live := !e.dead
	if live {
		e.ops++
	}
	pop, push := d.effect(in)
	e.height = max(e.height-pop, e.frames[len(e.frames)-1].height)
	switch in.op {
	case opBlock, opLoop, opIf:
		e.open(in)
	case opElse:
		f := &e.frames[len(e.frames)-1]
		if live {
			e.branch(0)
		}
		e.height, e.dead = f.height+f.params, f.dead
		if !e.dead {
			e.bounds = f.elseBounds
			e.block(f.elseChain + 1)
		}
		f.elseChain = -1
	case opEnd:
		e.end()
	case opBr:
		if live {
			e.branch(in.a)
		}
		e.dead = true
	case opBrIf:
		if live {
			e.branch(in.a)
			e.blocks++
			e.block(e.chain + 1)
		}
	case opBrTable:
		if live {
			for _, l := range d.targets {
				e.branch(l)
				e.blocks++
			}
		}
		e.dead = true
	case opReturn, opUnreachable, opReturnCall, opReturnCallInd:
		if live {
			e.blocks++
		}
		e.dead = true
	case opLocalSet, opLocalTee:
		e.sets++
	default:
		if live {
			e.plain(in, pop, push)
		}
	}
	e.height += push
}

// plain counts an instruction that does not branch.
func (e *estimate) plain(in instruction, pop, push int) {
	switch {
	case in.op == opLocalGet, in.op == opGlobalGet:
		e.chains += float64(e.chain)
		e.aliases += float64(e.joins)
	case in.op == opCall, in.op == opCallIndirect, in.op == opMemoryGrow, in.op == opTableGrow:
		if in.op == opCallIndirect {
			e.indirect++
		} else {
			e.calls++
		}
		e.args += float64(pop + push)
		e.reload += float64(e.globals)
		e.known += float64(e.bounds) / 4
	case standsIn(in.op):
		e.bulk++
		e.blocks += 4
		e.joins += 3 // it is a loop
		e.edges += 6 * float64(e.vars)
		e.reload += float64(e.globals)
		e.known += float64(4 * e.bounds)
		e.live += float64(4 * e.height)
	case accessesMemory(in.op):
		e.memory++
		e.bounds++
		e.chains += 2 * float64(e.chain)
	case in.op >= opI32DivS && in.op <= opI32RemU, in.op >= opI64DivS && in.op <= opI64RemU, in.op >= prefixVector<<8:
		e.memory++ // it can trap, or takes as much code
	case in.op >= 0xa8 && in.op <= 0xb1, in.op >= prefixMisc<<8 && in.op < opMemoryInit: // truncations, twice that
		e.memory += 2
	}
}

func (e *estimate) open(in instruction) {
	params, results := int(in.a), int(in.b)
	f := frame{
		op: in.op, height: max(e.height-params, e.frames[len(e.frames)-1].height),
		params: params, result: results, dead: e.dead, elseChain: -1, sets: e.sets,
	}
	if in.op == opLoop {
		e.loops++
	}
	switch {
	case e.dead:
	case in.op == opLoop:
		f.elseChain = e.chain
		e.deepest = max(e.deepest, e.loops)
		e.joins++
		e.heads++
		e.nest += float64(e.loops)
		e.block(0)
		e.args += float64(params)
	case in.op == opIf:
		f.elseChain, f.elseBounds = e.chain, e.bounds
		e.block(e.chain + 1)
	}
	e.frames = append(e.frames, f)
}

// block begins a basic block.
func (e *estimate) block(chain int) {
	e.blocks++
	e.live += float64(e.height)
	e.known += float64(e.bounds)
	e.chain = chain
}

// branch adds an edge to a label. One that does not exist is refused elsewhere.
func (e *estimate) branch(label uint32) {
	i := len(e.frames) - 1 - int(label)
	if i < 0 {
		return
	}
	f := &e.frames[i]
	arity := f.result
	if f.op == opLoop {
		arity = f.params
	}
	e.args += float64(arity)
	f.edge(e.chain, e.bounds)
}

func (f *frame) edge(chain, bounds int) {
	if f.edges == 0 || bounds < f.bounds {
		f.bounds = bounds
	}
	f.chain = chain + 1
	f.edgeChain += float64(chain + 1)
	f.edges++
}

// end closes a block: where edges join, the compiler makes a phi of each local that
// it cannot tell is the same.
func (e *estimate) end() {
	f := e.frames[len(e.frames)-1]
	e.frames = e.frames[:len(e.frames)-1]
	set := float64(min(e.vars, e.sets-f.sets))
	if f.op == opLoop {
		f.edge(f.elseChain, 0)
		e.join(&f)
		e.loopPhis += float64(f.edges) * set
		e.loops--
		e.height = f.height + f.result
		if e.dead = e.dead || f.dead; !e.dead {
			e.block(e.chain + 1)
		}
		return
	}
	if f.op == opIf && f.elseChain >= 0 && !f.dead { // no else: the condition's other edge
		f.edge(f.elseChain, f.elseBounds)
		e.blocks++
	}
	if !e.dead {
		f.edge(e.chain, e.bounds)
	}
	e.height = f.height + f.result
	if e.dead = f.edges == 0; e.dead {
		return
	}
	e.bounds = f.bounds
	if f.edges == 1 {
		e.block(f.chain)
		return
	}
	e.join(&f)
	e.phis += float64(f.edges) * set
	e.args += float64(f.result * f.edges)
	e.joins++
	e.block(0)
}

// join counts what is done for each local on each edge.
func (e *estimate) join(f *frame) {
	e.edges += float64(f.edges) * float64(e.vars)
	e.chains += f.edgeChain * float64(e.vars)
}

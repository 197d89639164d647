// Package instrument rewrites WebAssembly modules so that they can be run in the
// host's own process and still be stopped.
//
// Compiled guest code cannot be pre-empted: a guest that spins holds its
// processor, its caller, and with the next garbage collection the whole process.
// So every module is changed before it is compiled:
//
//	m, err := instrument.Parse(wasm, nil)         // strict, with caps
//	wasm, err = m.Rewrite(&instrument.Plan{})     // metered
//
// A rewritten module keeps a budget in a private global. At each loop header, and
// at the entry of each function that could be part of a long run without loops, it
// subtracts what the code up to the next such place can cost at most; when the
// budget is negative it calls the imported function [ImportModule].[ImportYield],
//
//	(left i64) -> (budget i64)
//
// in which the host looks at deadlines and fuel, lets the garbage collector in,
// and ends the call by panicking or hands out a new budget. The budget begins at
// zero, so the first check yields.
//
// Fuel is counted in the same unit: about one simple instruction, a memory access
// counts as several. What is subtracted is a static upper bound of a pass, so the
// count is the same on every machine and at every run, but it is not the number
// of instructions that ran.
//
// Bulk memory operations are done in pieces, those on tables are charged by
// length, and arguments of WASI functions that make the host work in proportion
// (numbers of buffers, of subscriptions, lengths of paths) are bounded.
//
// It also prepares modules for being frozen: start-up code runs once, and every
// instance begins with the state that it left, see [Plan].
//
// It is not a validator. What it does not understand it refuses, and it checks
// every index, because it adds functions, types and a global that the original
// must not reach; but the types on the stack are checked by wazero when it
// compiles the result, to which nothing was added that could make them right.
//
// Section numbers are those of the WebAssembly core specification, release 2.0,
// https://www.w3.org/TR/2022/WD-wasm-core-2-20220419/.
package instrument

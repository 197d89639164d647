package host

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/instrument"
)

// importNames are the functions of ohhost_v1.
var importNames = []string{abi.ImportInput, abi.ImportOutput, abi.ImportLog, abi.ImportProgress, abi.ImportInvoke}

// errPointer is the fault of a guest that names bytes outside its memory.
var errPointer = errors.New("the guest passed a pointer outside its memory")

// A stop ends a guest's call: host functions panic with it, and wazero returns it
// in an error of its own.
type stop struct{ error }

func (s stop) Unwrap() error { return s.error }

// errOutsideCall is the fault of a guest that calls the host when nobody called it.
var errOutsideCall = errors.New("the guest called the host outside of a call")

// callKey carries the *guestCall to the host functions; wazero gives them nothing
// else that is per call.
type callKey struct{}

func callOf(ctx context.Context) *guestCall {
	c, ok := ctx.Value(callKey{}).(*guestCall)
	if !ok {
		panic(stop{errOutsideCall})
	}
	return c
}

// instantiateMeter makes the module that rewritten guests ask for fuel, see
// host/instrument. It is where guests are stopped.
func instantiateMeter(ctx context.Context, r wazero.Runtime) error {
	i64 := []api.ValueType{api.ValueTypeI64}
	_, err := r.NewHostModuleBuilder(instrument.ImportModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			left, err := callOf(ctx).yield(int64(stack[0]))
			if err != nil {
				panic(stop{err})
			}
			stack[0] = api.EncodeI64(left)
		}), i64, i64).Export(instrument.ImportYield).Instantiate(ctx)
	return err
}

// instantiateImports makes the module ohhost_v1. Security: arguments are read
// with DecodeU32, the upper half of a slot can hold garbage; a function that
// finds something wrong panics, which wazero turns into an error of the call.
func instantiateImports(ctx context.Context, r wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	b := r.NewHostModuleBuilder(abi.Version)
	add := func(name string, params, results []api.ValueType, fn func(*guestCall, api.Memory, []uint64)) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			c := callOf(ctx)
			if err := c.count(); err != nil {
				panic(stop{err})
			}
			fn(c, mod.Memory(), stack)
		}), params, results).Export(name)
	}
	add(abi.ImportInput, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(c *guestCall, mem api.Memory, s []uint64) {
		s[0] = api.EncodeU32(uint32(c.input.copyTo(view(mem, s[0], s[1]))))
	})
	add(abi.ImportOutput, []api.ValueType{i32, i32}, nil, func(c *guestCall, mem api.Memory, s []uint64) {
		if err := c.write(view(mem, s[0], s[1])); err != nil {
			panic(stop{err})
		}
	})
	add(abi.ImportLog, []api.ValueType{i32, i32, i32}, nil, func(c *guestCall, mem api.Memory, s []uint64) {
		c.logLine(int(int32(api.DecodeU32(s[0]))), view(mem, s[1], s[2]))
	})
	add(abi.ImportProgress, []api.ValueType{i32, i32}, nil, func(c *guestCall, mem api.Memory, s []uint64) {
		c.progress(view(mem, s[0], s[1]))
	})
	add(abi.ImportInvoke, []api.ValueType{i32, i32}, []api.ValueType{i64}, func(c *guestCall, mem api.Memory, s []uint64) {
		n, err := c.invoke(view(mem, s[0], s[1]))
		if err != nil {
			panic(stop{err})
		}
		s[0] = api.EncodeI64(n)
	})
	_, err := b.Instantiate(ctx)
	return err
}

// view returns the guest's bytes at ptr, valid until the guest runs again.
func view(mem api.Memory, ptr, length uint64) []byte {
	b, ok := mem.Read(api.DecodeU32(ptr), api.DecodeU32(length))
	if !ok {
		panic(stop{errPointer})
	}
	return b
}

package host

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ohhost/ohhost/abi"
)

// importNames are the functions of ohhost_v1.
var importNames = []string{abi.ImportInput, abi.ImportOutput, abi.ImportLog, abi.ImportProgress, abi.ImportInvoke}

// errPointer is the fault of a guest that names bytes outside its memory.
var errPointer = errors.New("the guest passed a pointer outside its memory")

// instanceKey carries the instance of a call to the host functions; wazero gives
// them nothing else that is per call.
type instanceKey struct{}

// instantiateImports makes the module ohhost_v1. Security: arguments are read
// with DecodeU32, the upper half of a slot can hold garbage; a function that
// finds something wrong panics, which wazero turns into an error of the call.
func instantiateImports(ctx context.Context, r wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	b := r.NewHostModuleBuilder(abi.Version)
	add := func(name string, params, results []api.ValueType, fn func(*instance, api.Memory, []uint64)) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
			inst, ok := ctx.Value(instanceKey{}).(*instance)
			if !ok {
				panic(errors.New("called outside a call"))
			}
			fn(inst, mod.Memory(), stack)
		}), params, results).Export(name)
	}
	add(abi.ImportInput, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(in *instance, mem api.Memory, s []uint64) {
		s[0] = api.EncodeU32(uint32(in.input.copyTo(view(mem, s[0], s[1]))))
	})
	add(abi.ImportOutput, []api.ValueType{i32, i32}, nil, func(in *instance, mem api.Memory, s []uint64) {
		if err := in.write(view(mem, s[0], s[1])); err != nil {
			panic(err)
		}
	})
	add(abi.ImportLog, []api.ValueType{i32, i32, i32}, nil, func(in *instance, mem api.Memory, s []uint64) {
		in.logLine(int(int32(api.DecodeU32(s[0]))), view(mem, s[1], s[2]))
	})
	add(abi.ImportProgress, []api.ValueType{i32, i32}, nil, func(in *instance, mem api.Memory, s []uint64) {
		in.progress(view(mem, s[0], s[1]))
	})
	add(abi.ImportInvoke, []api.ValueType{i32, i32}, []api.ValueType{i64}, func(in *instance, mem api.Memory, s []uint64) {
		n, err := in.invoke(view(mem, s[0], s[1]))
		if err != nil {
			panic(err)
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
		panic(errPointer)
	}
	return b
}

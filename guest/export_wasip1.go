package guest

import (
	"unsafe"

	"github.com/ohhost/ohhost/abi"
)

// The imports of module ohhost_v1, see package abi.

//go:wasmimport ohhost_v1 input
func hostInput(ptr unsafe.Pointer, size uint32) uint32

//go:wasmimport ohhost_v1 output
func hostOutput(ptr unsafe.Pointer, size uint32)

//go:wasmimport ohhost_v1 log
func hostLog(level int32, ptr unsafe.Pointer, size uint32)

//go:wasmimport ohhost_v1 progress
func hostProgress(ptr unsafe.Pointer, size uint32)

//go:wasmimport ohhost_v1 invoke
func hostInvoke(ptr unsafe.Pointer, size uint32) int64

// imports is the Host of a module.
type imports struct{}

// maxAnswer is the largest answer in bytes that is taken: half of the memory that
// a module has. The largest read is half of that again.
const maxAnswer = 128 << 20

func (imports) Invoke(frame []byte) ([]byte, int64) {
	n := hostInvoke(unsafe.Pointer(unsafe.SliceData(frame)), uint32(len(frame)))
	if n < 0 {
		return nil, n
	}
	if n > maxAnswer {
		return nil, abi.RefusedLimit
	}
	return readInput(int(n)), n
}

func (imports) Log(level int, msg string) {
	hostLog(int32(level), unsafe.Pointer(unsafe.StringData(msg)), uint32(len(msg)))
}

func (imports) Progress(text string) {
	hostProgress(unsafe.Pointer(unsafe.StringData(text)), uint32(len(text)))
}

// readInput reads n bytes of input into memory of exactly that size; fewer where
// the input ends before.
func readInput(n int) []byte {
	b := make([]byte, n)
	have := 0
	for have < n {
		got := hostInput(unsafe.Pointer(&b[have]), uint32(n-have))
		if got == 0 {
			break
		}
		have += int(got)
	}
	return b[:have]
}

// write outputs a frame piece by piece, so that attachments are not copied.
func write(f *abi.Frame) error {
	head, err := f.Prefix()
	if err != nil {
		return err
	}
	hostOutput(unsafe.Pointer(unsafe.SliceData(head)), uint32(len(head)))
	for _, a := range f.Attachments {
		if len(a) > 0 {
			hostOutput(unsafe.Pointer(unsafe.SliceData(a)), uint32(len(a)))
		}
	}
	return nil
}

//go:wasmexport oh_describe
func ohDescribe() int32 {
	if registered == nil {
		return fail("no tools are registered")
	}
	f, err := registered.Describe()
	if err == nil {
		err = write(f)
	}
	if err != nil {
		return fail(err.Error())
	}
	return 0
}

//go:wasmexport oh_call
func ohCall(n int32) int32 {
	if registered == nil {
		return fail("no tools are registered")
	}
	f, err := registered.Serve(readInput(int(uint32(n))), imports{})
	if err == nil {
		err = write(f)
	}
	if err != nil {
		return fail(err.Error())
	}
	return 0
}

// fail reports why there is no answer; what it returns makes the call a fault.
func fail(msg string) int32 {
	imports{}.Log(abi.LogError, "guest: "+msg)
	return 1
}

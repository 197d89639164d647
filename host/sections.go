package host

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Section ids of the binary format, WebAssembly core specification 5.5.2.
const startSection = 8

// hasStart reports whether a module has a start section (5.5.11). wazero would
// run it while instantiating, before the limits of a call are set up. Only the
// section headers are read; wazero validates the rest when it compiles.
func hasStart(wasm []byte) (bool, error) {
	if !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		return false, errors.New("not a WebAssembly module")
	}
	if len(wasm) < 8 || binary.LittleEndian.Uint32(wasm[4:]) != 1 {
		return false, errors.New("not a WebAssembly core module of version 1 (components are not supported)")
	}
	for b := wasm[8:]; len(b) > 0; {
		id := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || size > uint64(len(b)-1-n) {
			return false, errors.New("the module is cut short")
		}
		if id == startSection {
			return true, nil
		}
		b = b[1+n+int(size):]
	}
	return false, nil
}

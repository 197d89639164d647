package instrument

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ohhost/ohhost/abi"
)

const exportInitialize = abi.ExportInitialize

// Frozen is the state of an instance after its start-up code has run: what new
// instances of the module begin with, instead of running that code themselves. The
// contents of the memory are not part of it; the host keeps them and gives them to
// each instance.
//
// To freeze a module, rewrite it with Plan.Expose, instantiate it, run
// _initialize, and call [Module.Freeze].
type Frozen struct {
	// Globals holds the value of each mutable global that the module defines, in
	// their order; the bits of floats.
	Globals []uint64
	// Pages is the size of the memory, in pages of 64 KiB.
	Pages uint32
}

// Freezable returns nil, or why the module's state cannot be frozen: something
// that start-up code could have changed cannot be written back.
func (m *Module) Freezable() error {
	switch {
	case len(m.memories) != 1 || len(m.imports) != len(m.importedFunctions):
		return errors.New("it does not have everything but functions for itself")
	case m.start != nil:
		return errors.New("it has a start function")
	case m.scan.writesTables:
		return errors.New("its code changes tables")
	case m.scan.usesSegments:
		return errors.New("its code uses data segments")
	}
	for _, g := range m.globals {
		if g.mutable && (g.typ < typeF64 || g.typ > typeI32) {
			return errors.New("it has a mutable global that is not a number")
		}
	}
	for _, d := range m.data {
		if d.flags == 1 {
			return errors.New("it has passive data segments")
		}
	}
	return nil
}

// Freeze takes down the state of an instance; read returns the value of an
// exported global.
func (m *Module) Freeze(read func(name string) (uint64, bool), pages uint32) (*Frozen, error) {
	if err := m.Freezable(); err != nil {
		return nil, err
	}
	f := &Frozen{Pages: pages}
	for i, g := range m.globals {
		if !g.mutable {
			continue
		}
		v, ok := read(exposedName(i))
		if !ok {
			return nil, fmt.Errorf("global %d is not exposed", i)
		}
		f.Globals = append(f.Globals, v)
	}
	return f, f.check(m)
}

// check returns an error when the state cannot be one of m.
func (f *Frozen) check(m *Module) error {
	mutable := 0
	for _, g := range m.globals {
		if g.mutable {
			mutable++
		}
	}
	if len(f.Globals) != mutable {
		return fmt.Errorf("the state has %d globals, the module %d", len(f.Globals), mutable)
	}
	if f.Pages < m.memories[0].min || int64(f.Pages) > int64(m.limits.MemoryPages) {
		return fmt.Errorf("the state has a memory of %d pages", f.Pages)
	}
	return nil
}

// values returns the values of m's globals by their place.
func (f *Frozen) values(m *Module) map[int]uint64 {
	v := map[int]uint64{}
	if f == nil {
		return v
	}
	for i, g := range m.globals {
		if g.mutable {
			v[i] = f.Globals[len(v)]
		}
	}
	return v
}

// exposedName is the export of the i-th global that the module defines.
func exposedName(i int) string { return fmt.Sprintf("%s.global%d", Reserved, i) }

// appendConstant appends the constant expression of a number (3.3.9).
func appendConstant(b []byte, typ byte, v uint64) []byte {
	switch typ {
	case typeI32:
		b = appendSigned(append(b, opI32Const), int64(int32(v)))
	case typeI64:
		b = appendSigned(append(b, opI64Const), int64(v))
	case typeF32:
		b = binary.LittleEndian.AppendUint32(append(b, opF32Const), uint32(v))
	case typeF64:
		b = binary.LittleEndian.AppendUint64(append(b, opF64Const), v)
	}
	return append(b, opEnd)
}

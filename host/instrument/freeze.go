package instrument

import (
	"errors"
	"fmt"

	"github.com/ohhost/ohhost/abi"
)

// A Segment is bytes that a module puts into its memory before it runs.
type Segment struct {
	Offset uint32
	Bytes  []byte
}

// Freezable returns nil, or why a host cannot take down the state of an instance
// after its start-up code has run and begin others with it, see Plan.Frozen:
// something that the code could have changed could not be given back.
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
	_, err := m.Segments()
	return err
}

// Segments returns what the module puts into its memory, in its order. It returns
// an error when a segment is passive, lies outside of the memory, or has an offset
// that is not a plain number.
func (m *Module) Segments() ([]Segment, error) {
	var list []Segment
	for _, d := range m.data {
		r := &reader{b: d.offset}
		if r.byte() != opI32Const { // a passive one has no offset
			return nil, errors.New("it has a data segment whose place is not fixed")
		}
		s := Segment{Offset: uint32(int32(r.signed(32))), Bytes: d.bytes}
		if r.byte() != opEnd || r.more() || r.err != nil {
			return nil, errors.New("it has a data segment whose place is not fixed")
		}
		if len(m.memories) != 1 || uint64(s.Offset)+uint64(len(s.Bytes)) > uint64(m.memories[0].min)<<16 {
			return nil, errors.New("it has a data segment outside of its memory")
		}
		list = append(list, s)
	}
	return list, nil
}

// FrozenGlobals returns the names under which a module rewritten with Plan.Frozen
// exports its mutable globals.
func (m *Module) FrozenGlobals() []string {
	var names []string
	for i, g := range m.globals {
		if g.mutable {
			names = append(names, frozenName(i))
		}
	}
	return names
}

// frozenName is the export of the i-th global that the module defines.
func frozenName(i int) string { return fmt.Sprintf("%s.global%d", Reserved, i) }

// HasInitialize reports whether the module exports start-up code in the way of a
// WASI reactor.
func (m *Module) HasInitialize() bool {
	e := m.exported(abi.ExportInitialize)
	return e != nil && e.kind == kindFunction
}

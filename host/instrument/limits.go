package instrument

import (
	"fmt"
	"time"
)

// Limits bound what a module may declare. They keep the time and the memory of
// compiling it in proportion, see RATIONALE.md, "Why does a module have so many
// caps?". A field that is zero means its default.
type Limits struct {
	Size          int // bytes of the module; default 64 MiB
	Types         int // default 5 000
	Values        int // parameters or results of one type; default 128
	Imports       int // default 1 000
	Functions     int // default 100 000
	Body          int // bytes of one function; default 1 MiB
	Locals        int // of one function, parameters included; default 5 000
	Nesting       int // blocks in blocks of one function; default 10 000
	BranchTargets int // of one br_table; default 16 384
	Tables        int // default 16
	TableElements int // of all tables together, declared and grown, and of all segments; default 262 144
	MemoryPages   int // of 64 KiB, declared and grown; default 4 096
	Globals       int // default 2 000
	Mutable       int // mutable globals; default 64
	Exports       int // default 10 000
	Helpers       int // different bulk operations, by what they work on; default 1 000
	Segments      int // element segments, and data segments; default 200 000

	// CompileTime and CompileMemory, in bytes, are what one function may cost to
	// compile, estimated; see estimate. Defaults 4 s and 640 MiB.
	CompileTime   time.Duration
	CompileMemory int64
}

func (l *Limits) defaults() Limits {
	var d Limits
	if l != nil {
		d = *l
	}
	for _, f := range []struct {
		v *int
		n int
	}{
		{&d.Size, 64 << 20}, {&d.Types, 5000}, {&d.Values, 128}, {&d.Helpers, 1000}, {&d.Imports, 1000}, {&d.Functions, 100_000},
		{&d.Body, 1 << 20}, {&d.Locals, 5000}, {&d.Nesting, 10_000}, {&d.BranchTargets, 1 << 14}, {&d.Tables, 16},
		{&d.TableElements, 1 << 18}, {&d.MemoryPages, 4096}, {&d.Globals, 2000}, {&d.Mutable, 64}, {&d.Exports, 10_000}, {&d.Segments, 200_000},
	} {
		if *f.v <= 0 {
			*f.v = f.n
		}
	}
	if d.CompileTime <= 0 {
		d.CompileTime = 4 * time.Second
	}
	if d.CompileMemory <= 0 {
		d.CompileMemory = 640 << 20
	}
	return d
}

// A LimitError says that a module declares more than a limit allows.
type LimitError struct {
	What      string // what there is too much of: "functions"
	Have, Max uint64
}

// Error says what is over which limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d, at most %d are accepted", e.What, e.Have, e.Max)
}

package instrument_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/ohhost/ohhost/host/instrument"
	w "github.com/ohhost/ohhost/internal/wasmgen"
)

const (
	bulkMemory  = 5 << 16 // bytes of the memory
	bulkSegment = 150_000 // of the data segment
	outOfMemory = "wasm error: out of bounds memory access"
	outOfTable  = "wasm error: invalid table access"
)

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + i>>16)
	}
	return b
}

// memoryModule exports fill, copy, init, of (to, from or value, length), and drop.
func memoryModule() []byte {
	b := w.New()
	three := b.Type([]byte{w.I32, w.I32, w.I32}, nil)
	none := b.Type(nil, nil)
	b.Memory(w.LimitsTo(bulkMemory>>16, bulkMemory>>16))
	b.DataCount(1)
	b.Repeat(w.SectionData, 1, slices.Concat([]byte{1}, w.U32(bulkSegment), pattern(bulkSegment)))
	args := slices.Concat(w.Op(w.LocalGet, 0), w.Op(w.LocalGet, 1), w.Op(w.LocalGet, 2))
	b.Export("fill", w.KindFunc, b.Func(three, nil, args, []byte{0xfc, 11, 0}))
	b.Export("copy", w.KindFunc, b.Func(three, nil, args, []byte{0xfc, 10, 0, 0}))
	b.Export("init", w.KindFunc, b.Func(three, nil, args, []byte{0xfc, 8, 0, 0}))
	b.Export("drop", w.KindFunc, b.Func(none, nil, []byte{0xfc, 9, 0}))
	return b.Bytes()
}

// bulkEffect is what an operation in bounds does.
func bulkEffect(op string, memory []byte, to, from, n uint64) {
	switch op {
	case "fill":
		for i := range n {
			memory[to+i] = byte(from)
		}
	case "copy":
		copy(memory[to:to+n], memory[from:from+n])
	case "init":
		copy(memory[to:to+n], pattern(bulkSegment)[from:from+n])
	}
}

// TestR2MemoryOperations tries lengths, places and distances around the borders of
// pieces, and around the ends of the memory and of 2^32. What is out of bounds must
// not write a byte.
func TestR2MemoryOperations(t *testing.T) {
	const piece = 1 << 16
	lengths := []uint64{0, 1, 255, 256, 257, piece - 1, piece, piece + 1, 2*piece - 1, 2 * piece, 2*piece + 1, 3*piece + 7}
	if raced {
		lengths = []uint64{0, 1, 257, piece + 1}
	}
	for _, e := range engines() {
		m := &meter{budget: 0}
		mod := metered(t, e, m, memoryModule())
		fresh := pattern(bulkMemory)
		for _, op := range []string{"fill", "copy", "init"} {
			t.Run(e.name+"/"+op, func(t *testing.T) {
				limit := map[string]uint64{"fill": 1 << 40, "copy": bulkMemory, "init": bulkSegment}[op]
				run := func(to, from, n uint64) {
					what := fmt.Sprintf("to %d, from %d, length %d", to, from, n)
					require.True(t, mod.Memory().Write(0, fresh))
					before := m.charged(mod)
					yields := m.yields
					_, err := mod.ExportedFunction(op).Call(context.Background(), to, from, n)
					got, _ := mod.Memory().Read(0, bulkMemory)
					if to+n > bulkMemory || from+n > limit {
						require.Equal(t, outOfMemory, firstLine(err), what)
						require.True(t, bytes.Equal(fresh, got), what)
						return
					}
					require.NoError(t, err, what)
					want := bytes.Clone(fresh)
					bulkEffect(op, want, to, from, n)
					require.True(t, bytes.Equal(want, got), what)
					require.GreaterOrEqual(t, m.charged(mod)-before, int64(n)/16, what)
					require.GreaterOrEqual(t, m.yields-yields, int(n/piece), what)
				}
				for _, n := range lengths {
					ends := []uint64{0, 1, 100, bulkMemory - n, bulkMemory - n + 1, 1<<32 - 1 - n&0xffff}
					for _, to := range ends {
						froms := []uint64{0, 1, to + 1, to - 1, to + piece, to - piece, to + piece - 1, to + n, limit - n, limit - n + 1, 1<<32 - 1}
						for _, from := range froms {
							if to < 1<<32 && from < 1<<32 {
								run(to, from, n)
							}
						}
					}
				}
				for _, n := range []uint64{bulkMemory, bulkMemory + 1, 1<<31 - 1, 1 << 31, 1<<32 - piece, 1<<32 - 2, 1<<32 - 1} {
					for _, to := range []uint64{0, 1, bulkMemory, 1 << 31, 1<<32 - 1} {
						for _, from := range []uint64{0, 1, 2, bulkMemory, 1<<32 - 1} {
							run(to, from, n)
						}
					}
				}
			})
		}
		_, err := mod.ExportedFunction("drop").Call(context.Background())
		require.NoError(t, err)
		for _, c := range []struct {
			to, from, n uint64
			want        string
		}{
			{bulkMemory, 0, 0, ""}, {0, 0, 1, outOfMemory}, {0, 1, 0, outOfMemory}, {bulkMemory + 1, 0, 0, outOfMemory}, {0, 0, 1 << 17, outOfMemory},
		} {
			_, err := mod.ExportedFunction("init").Call(context.Background(), c.to, c.from, c.n)
			require.Equal(t, c.want, firstLine(err), "%+v behind data.drop", c)
		}
	}
}

// tableModule has a table of some type with 10 to 40 elements, another of 10, and a
// passive segment of 8, of which the odd ones are null.
func tableModule(ref byte) []byte {
	b := w.New()
	of := func(params, results []byte) uint32 { return b.Type(params, results) }
	i32 := []byte{w.I32}
	none := of(nil, nil)
	b.Table(ref, w.LimitsTo(10, 40))
	b.Table(ref, w.Limits(10))
	args := slices.Concat(w.Op(w.LocalGet, 0), w.Op(w.LocalGet, 1), w.Op(w.LocalGet, 2))
	three := of([]byte{w.I32, w.I32, w.I32}, nil)
	export := func(name string, typ uint32, code ...[]byte) {
		b.Export(name, w.KindFunc, b.Func(typ, nil, code...))
	}
	export("init", three, args, []byte{0xfc, 12, 0, 0})
	export("copy", three, args, []byte{0xfc, 14, 1, 0})
	export("move", three, args, []byte{0xfc, 14, 0, 0})
	export("drop", none, []byte{0xfc, 13, 0})
	export("fill", of([]byte{w.I32, ref, w.I32}, nil), args, []byte{0xfc, 17, 0})
	export("grow", of([]byte{ref, w.I32}, i32), args[:4], []byte{0xfc, 15, 0})
	export("size", of(nil, i32), []byte{0xfc, 16, 0})
	export("get", of(i32, []byte{ref}), args[:2], []byte{0x25, 0})
	export("other", of(i32, []byte{ref}), args[:2], []byte{0x25, 1})
	export("set", of([]byte{w.I32, ref}, nil), args[:4], []byte{0x26, 0})
	null := []byte{0xd0, ref, w.End}
	some := []byte{0xd2, 0, w.End}
	if ref == w.ExternRef {
		some = null
	}
	b.Repeat(w.SectionElem, 1, slices.Concat([]byte{5, ref, 8}, bytes.Repeat(slices.Concat(some, null), 4)))
	return b.Bytes()
}

// TestR2TableOperations plays the same operations on a table as it is and on a
// metered one. References are compared by whether they are null, those of the host
// by value.
func TestR2TableOperations(t *testing.T) {
	type step struct {
		name string
		args []uint64
	}
	steps := []step{{"size", nil}}
	for i := range uint64(10) {
		steps = append(steps, step{"set", []uint64{i, i % 3 * 11}})
	}
	for _, c := range [][3]uint64{{0, 0, 0}, {0, 0, 8}, {0, 0, 9}, {2, 0, 8}, {3, 0, 8}, {10, 8, 0}, {11, 0, 0}, {0, 9, 0}, {1, 3, 4}, {0, 1, 1<<32 - 1}, {1<<32 - 1, 0, 2}} {
		steps = append(steps, step{"init", c[:]}, step{"move", c[:]}, step{"copy", c[:]})
	}
	for _, c := range [][3]uint64{{0, 0, 10}, {0, 1, 9}, {1, 0, 9}, {0, 1, 10}, {5, 22, 5}, {5, 22, 6}, {10, 0, 0}, {11, 0, 0}, {1, 0, 1<<32 - 1}, {1 << 31, 0, 1 << 31}} {
		steps = append(steps, step{"move", c[:]}, step{"fill", c[:]})
	}
	for _, n := range []uint64{0, 1, 29, 1, 30, 1 << 31, 1<<32 - 1} {
		steps = append(steps, step{"grow", []uint64{33, n}}, step{"size", nil}, step{"fill", []uint64{3, 44, 20}})
	}
	steps = append(steps, step{"drop", nil}, step{"init", []uint64{0, 0, 0}}, step{"init", []uint64{0, 0, 1}})

	for _, e := range engines() {
		for _, ref := range []byte{w.FuncRef, w.ExternRef} {
			t.Run(fmt.Sprintf("%s/%#x", e.name, ref), func(t *testing.T) {
				plain := instantiate(t, e.runtime(t, nil), tableModule(ref))
				m := &meter{budget: 0}
				mod := metered(t, e, m, tableModule(ref))
				call := func(mod api.Module, s step) string {
					f := mod.ExportedFunction(s.name)
					args := slices.Clone(s.args)
					for i, p := range f.Definition().ParamTypes() {
						if p == 0x70 {
							res, err := mod.ExportedFunction("get").Call(context.Background(), 0)
							require.NoError(t, err)
							args[i] = res[0] * (args[i] % 2) // some function, or none
						}
					}
					res, err := f.Call(context.Background(), args...)
					if err != nil {
						return firstLine(err)
					}
					return describeValues(f.Definition().ResultTypes(), res)
				}
				faults := 0
				for _, s := range steps {
					before := m.charged(mod)
					want, got := call(plain, s), call(mod, s)
					require.Equal(t, want, got, "%+v", s)
					switch {
					case got == outOfTable:
						faults++
					case len(s.args) > 0 && s.name != "set":
						n := min(int64(s.args[len(s.args)-1]), 1<<18)
						require.GreaterOrEqual(t, m.charged(mod)-before, n, "%+v", s)
					}
					for i := range uint64(40) {
						for _, table := range []string{"get", "other"} {
							at := step{table, []uint64{i}}
							require.Equal(t, call(plain, at), call(mod, at), "%+v, then %+v", s, at)
						}
					}
				}
				require.Greater(t, faults, 20)
			})
		}
	}
}

// TestR4TableBomb grows a table that declares no maximum.
func TestR4TableBomb(t *testing.T) {
	b := w.New()
	i32 := b.Type([]byte{w.I32}, []byte{w.I32})
	for range 2 {
		b.Table(w.ExternRef, w.Limits(10))
	}
	b.Export("grow", w.KindFunc, b.Func(i32, nil, []byte{0xd0, w.ExternRef}, w.Op(w.LocalGet, 0), []byte{0xfc, 15, 1}))
	for _, e := range engines() {
		mod := instantiate(t, e.runtime(t, &meter{}), rewritten(t, b.Bytes(), &instrument.Limits{TableElements: 1020}))
		for _, c := range []struct{ by, want uint64 }{{100_000_000, 1<<32 - 1}, {501, 1<<32 - 1}, {400, 10}, {101, 1<<32 - 1}, {100, 410}, {1, 1<<32 - 1}} {
			res, err := mod.ExportedFunction("grow").Call(context.Background(), c.by)
			require.NoError(t, err)
			require.Equal(t, c.want, res[0], "grow by %d: half of what all tables may have is left for each", c.by)
		}
	}
}

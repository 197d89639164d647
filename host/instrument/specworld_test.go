package instrument_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ohhost/ohhost/host/instrument"
)

// A specCommand is one of a file that wast2json wrote,
// https://github.com/WebAssembly/wabt/blob/1.0.36/docs/wast2json.md.
type specCommand struct {
	Type       string
	Line       int
	Name       string
	Filename   string
	As         string
	ModuleType string `json:"module_type"`
	Action     struct {
		Type   string
		Module string
		Field  string
		Args   []specValue
	}
}

type specValue struct {
	Type     string
	LaneType string `json:"lane_type"`
	Value    any
}

// bits returns the value as wazero takes it.
func (v specValue) bits() []uint64 {
	if v.Type != "v128" {
		return []uint64{specBits(v.Type, v.Value)}
	}
	lanes := v.Value.([]any)
	width := 128 / len(lanes)
	out := make([]uint64, 2)
	for i, l := range lanes {
		mask := ^uint64(0) >> (64 - width)
		out[i*width/64] |= (specBits(v.LaneType, l) & mask) << (i * width % 64)
	}
	return out
}

func specBits(typ string, value any) uint64 {
	s, _ := value.(string)
	if s == "" || s == "null" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		signed, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			panic(err)
		}
		n = uint64(signed)
	}
	if typ == "externref" {
		n++ // 0 is null
	}
	if strings.HasSuffix(typ, "32") {
		n = uint64(uint32(n))
	}
	return n
}

// A specWorld is a runtime with the modules of one file.
type specWorld struct {
	runtime wazero.Runtime
	rewrite bool
	modules map[string]api.Module
	last    api.Module
	kept    []api.Module // those with a name
}

func newSpecWorld(t *testing.T, e engine, m *meter) *specWorld {
	w := &specWorld{runtime: e.runtime(t, m), rewrite: m != nil, modules: map[string]api.Module{}}
	_, err := w.runtime.InstantiateWithConfig(context.Background(), spectestModule(t), wazero.NewModuleConfig())
	require.NoError(t, err)
	return w
}

// startIndex is of the start function, which rewriting moves.
var startIndex = regexp.MustCompile(`^start function\[\d+\]`)

// do runs a command and returns what came of it in words: nothing for a module that
// was accepted.
func (w *specWorld) do(c specCommand, wasm []byte) string {
	if wasm != nil {
		mod, err := w.load(wasm, c.As)
		if err != nil {
			return "error: " + startIndex.ReplaceAllString(firstLine(err), "start function")
		}
		if c.Type == "module" {
			w.add(c, mod)
		}
		return ""
	}
	mod := w.last
	if c.Action.Module != "" {
		mod = w.modules[c.Action.Module]
	}
	if c.Action.Type == "get" {
		g := mod.ExportedGlobal(c.Action.Field)
		return describeValues([]api.ValueType{g.Type()}, []uint64{g.Get(), 0})
	}
	var args []uint64
	for _, a := range c.Action.Args {
		args = append(args, a.bits()...)
	}
	f := mod.ExportedFunction(c.Action.Field)
	results, err := f.Call(context.Background(), args...)
	if err != nil {
		return "fault: " + firstLine(err)
	}
	return describeValues(f.Definition().ResultTypes(), results)
}

func (w *specWorld) add(c specCommand, mod api.Module) {
	w.last = mod
	if c.Name != "" {
		w.modules[c.Name] = mod
	}
	if c.Name != "" || c.As != "" {
		w.kept = append(w.kept, mod)
	}
}

func (w *specWorld) load(wasm []byte, name string) (api.Module, error) {
	if w.rewrite {
		m, err := instrument.Parse(wasm, specLimits)
		if err != nil {
			return nil, err
		}
		if wasm, err = m.Rewrite(&instrument.Plan{}); err != nil {
			return nil, err
		}
	}
	return w.runtime.InstantiateWithConfig(context.Background(), wasm, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
}

// sameState requires that the memories and globals of all modules that are left are
// as other has them.
func (w *specWorld) sameState(t *testing.T, other *specWorld, line int) {
	mine, theirs := append(w.kept, w.last), append(other.kept, other.last)
	require.Len(t, mine, len(theirs))
	for i := range mine {
		if mine[i] == nil {
			continue // no module so far
		}
		require.Equal(t, stateOf(theirs[i]), stateOf(mine[i]), "globals after line %d", line)
		a, b := memoryOf(theirs[i]), memoryOf(mine[i])
		require.Equal(t, len(a), len(b), "memory after line %d", line)
		require.True(t, string(a) == string(b), "memory after line %d", line)
	}
}

func memoryOf(mod api.Module) []byte {
	if reflect.ValueOf(mod.Memory()).IsNil() { // a typed nil, where there is none
		return nil
	}
	b, _ := mod.Memory().Read(0, mod.Memory().Size())
	return b
}

// stateOf describes the globals, but not that of the budget.
func stateOf(mod api.Module) string {
	m := mod.(experimental.InternalModule)
	n := m.NumGlobal()
	if mod.ExportedGlobal(instrument.ExportBudget) != nil {
		n--
	}
	var b strings.Builder
	for i := range n {
		g := m.Global(i)
		b.WriteString(describeValues([]api.ValueType{g.Type()}, []uint64{g.Get(), 0})) // wazero tells half of a v128
	}
	return b.String()
}

// describeValues writes the bits of values. Functions are addresses, of which only
// whether there is one can be compared.
func describeValues(types []api.ValueType, bits []uint64) string {
	var b strings.Builder
	for _, t := range types {
		switch t {
		case 0x7b: // v128
			fmt.Fprintf(&b, "%#x:%#x ", bits[0], bits[1])
			bits = bits[1:]
		case 0x70: // funcref
			fmt.Fprintf(&b, "func %t ", bits[0] != 0)
		case api.ValueTypeI32, api.ValueTypeF32:
			fmt.Fprintf(&b, "%#x ", uint32(bits[0]))
		default:
			fmt.Fprintf(&b, "%#x ", bits[0])
		}
		bits = bits[1:]
	}
	return b.String()
}

package instrument_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ohhost/ohhost/host/instrument"
)

// fuzzLimits keep what wazero allocates for a module of a few KiB in bounds.
var fuzzLimits = &instrument.Limits{Size: 1 << 16, Locals: 1000, TableElements: 1 << 12, Nesting: 500}

// FuzzRewrite requires of any bytes that what Parse accepts is valid after rewriting
// if and only if it was before.
func FuzzRewrite(f *testing.F) {
	for _, wasm := range seeds(f) {
		f.Add(wasm)
	}
	v := newValidator(f)
	f.Fuzz(func(t *testing.T, wasm []byte) { checkRewrite(t, v, wasm, fuzzLimits) })
}

// seeds are small modules: some of the specification's tests, guests, and those that
// are encoded in odd ways.
func seeds(t testing.TB) (list [][]byte) {
	modules, err := filepath.Glob(filepath.Join(specDir(t), "*", "testdata", "*.wasm"))
	require.NoError(t, err)
	guests, err := filepath.Glob("../../testdata/guests/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, guests)
	for i, name := range modules {
		if wasm, err := os.ReadFile(name); err == nil && i%20 == 0 && len(wasm) < 1000 {
			list = append(list, wasm)
		}
	}
	require.Greater(t, len(list), 300)
	for _, name := range guests {
		wasm, err := os.ReadFile(name)
		require.NoError(t, err)
		list = append(list, wasm)
	}
	for _, e := range encodings {
		list = append(list, codeModule(e.code))
	}
	return list
}

// checkRewrite requires what FuzzRewrite does and returns whether wazero accepts the
// module; false without having looked when Parse does not.
func checkRewrite(t testing.TB, v validator, wasm []byte, limits *instrument.Limits) bool {
	m, err := instrument.Parse(wasm, limits)
	if err != nil {
		require.Nil(t, m)
		return false
	}
	before := v.validate(withoutCustom(wasm))
	for _, plan := range []instrument.Plan{{}, {Plain: true}, {Frozen: true}} {
		if plan.Frozen && m.Freezable() != nil {
			continue
		}
		out, err := m.Rewrite(&plan)
		var limit *instrument.LimitError
		if errors.As(err, &limit) {
			return false // it would take too long to compile
		}
		require.NoError(t, err)
		if after := v.validate(out); before == nil {
			require.NoError(t, after, "%+v", plan)
		} else {
			require.Error(t, after, "%+v: it was invalid: %s", plan, before)
		}
		if !plan.Plain {
			_, err = instrument.Parse(out, &instrument.Limits{Body: 1 << 30})
			require.ErrorContains(t, err, "names that begin with ohhost_meter are the host's own")
		}
	}
	return before == nil
}

// A validator asks wazero whether a module is valid.
type validator struct{ quick, sure wazero.Runtime }

// newValidator uses the interpreter, since it compiles faster, and the compiler where
// the interpreter does not know an encoding.
func newValidator(t testing.TB) validator {
	return validator{interpreter.runtime(t, nil), compiler.runtime(t, nil)}
}

// validate returns what wazero says against a module.
func (v validator) validate(wasm []byte) error {
	err := compile(v.quick, wasm)
	if err != nil && strings.Contains(err.Error(), "unsupported misc instruction") {
		return compile(v.sure, wasm)
	}
	return err
}

func compile(r wazero.Runtime, wasm []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("wazero panics: %v", p)
		}
	}()
	c, err := r.CompileModule(context.Background(), wasm)
	if err == nil {
		err = c.Close(context.Background())
	}
	return err
}

// withoutCustom removes custom sections from a module that Parse accepted: wazero
// refuses some that mean nothing, and rewriting drops them.
func withoutCustom(wasm []byte) []byte {
	out := bytes.Clone(wasm[:8])
	for rest := wasm[8:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		end := 1 + n + int(size)
		if rest[0] != 0 {
			out = append(out, rest[:end]...)
		}
		rest = rest[end:]
	}
	return out
}

// FuzzExecute makes modules out of the bytes and requires that rewritten they do what
// they did, and are charged for what they do.
func FuzzExecute(f *testing.F) {
	for i := range 64 {
		seed := make([]byte, 0, 300)
		for k := range 300 {
			seed = append(seed, byte((k*k+7)*(i+1)*31>>3))
		}
		f.Add(seed)
	}
	f.Fuzz(executeBoth)
}

func executeBoth(t *testing.T, in []byte) {
	e := interpreter
	var budget byte
	if len(in) > 0 {
		budget, in = in[0], in[1:]
	}
	if budget&7 == 0 && !raced {
		e = compiler
	}
	wasm, functions := generate(in)
	m := &meter{budget: []int64{0, 1, 100, 1 << 40}[budget>>3&3]}
	plain := instantiate(t, e.runtime(t, nil), wasm)
	mod := metered(t, e, m, wasm)
	calls := int64(0)
	work := mod.ExportedGlobal("work")
	last := int64(0)
	m.onYield = func(api.Module, int64) {
		now := workCost * int64(work.Get())
		require.GreaterOrEqual(t, m.units+slack*calls, now)
		require.LessOrEqual(t, now-last, before*m.budget+longest)
		last = now
	}
	for round := range 2 {
		for i, ft := range functions {
			calls++
			name := fmt.Sprintf("f%d", i)
			want := callGenerated(plain, name, ft, round)
			got := callGenerated(mod, name, ft, round)
			require.Equal(t, want, got)
			require.Equal(t, stateOf(plain), stateOf(mod))
			require.True(t, string(memoryOf(plain)) == string(memoryOf(mod)), "the memories differ")
		}
	}
}

// slack is how much a call of the host may do without being charged: a leaf.
const slack = 64

// callGenerated calls a function of a generated module with arguments that depend on
// the round.
func callGenerated(mod api.Module, name string, ft sig, round int) string {
	mod.ExportedGlobal("steps").(api.MutableGlobal).Set(300)
	var args []uint64
	for i, t := range ft.params {
		v := uint64(round * (i*1000 + 3))
		switch t {
		case 0x70:
			v = 0 // a function cannot be made by the host
		case 0x7b:
			args = append(args, v)
		case 0x7f, 0x7d:
			v = uint64(uint32(v))
		}
		args = append(args, v)
	}
	results, err := mod.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		return "fault: " + firstLine(err)
	}
	types := make([]api.ValueType, len(ft.results))
	for i, t := range ft.results {
		types[i] = api.ValueType(t)
	}
	return describeValues(types, results)
}

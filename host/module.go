package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/ohhost/ohhost/abi"
)

// wazeroVersion is in the cache's path: wazero calls itself "dev" in test
// binaries, and code of another version must never be loaded. A test compares
// it with go.mod.
const wazeroVersion = "wazero-v1.12.0"

// maxModule is the largest module that is loaded, in bytes.
const maxModule = 64 << 20

// A module is loaded code: its bytes, and once it was needed, the compiled form;
// or native code, in tests.
type module struct {
	host   *Host
	name   string
	wasm   []byte
	native *Native

	mu       sync.Mutex
	compiled wazero.CompiledModule
	runtime  wazero.Runtime // the one that compiled it
	building chan struct{}  // closed when the compile under way ended
	failed   error
}

// newModule checks what can be checked without compiling.
func newModule(h *Host, name string, wasm []byte) (*module, error) {
	if len(wasm) > maxModule {
		return nil, fmt.Errorf("the module has %d bytes, at most %d are loaded", len(wasm), maxModule)
	}
	start, err := hasStart(wasm)
	if err != nil {
		return nil, err
	}
	if start {
		return nil, errors.New("the module has a start section; export its start-up code as _initialize (AssemblyScript: --exportStart _initialize)")
	}
	return &module{host: h, name: name, wasm: wasm}, nil
}

// code returns the compiled module, compiling it if this is the first use. When
// ctx ends first, it returns ctx's error and the compile goes on for the next
// caller.
func (m *module) code(ctx context.Context) (wazero.CompiledModule, wazero.Runtime, error) {
	m.mu.Lock()
	if m.compiled != nil || m.failed != nil {
		defer m.mu.Unlock()
		return m.compiled, m.runtime, m.failed
	}
	if m.building == nil {
		leave, err := m.host.enter() // Close waits: freeing the runtime under a compile would crash it
		if err != nil {
			m.mu.Unlock()
			return nil, nil, err
		}
		m.building = make(chan struct{})
		go m.build(m.building, leave)
	}
	done := m.building
	m.mu.Unlock()
	slow := time.NewTimer(300 * time.Millisecond)
	defer slow.Stop()
	for {
		select {
		case <-done:
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.compiled, m.runtime, m.failed
		case <-slow.C:
			m.host.progress(fmt.Sprintf("compiling %s (once; %.1f MB)", m.name, float64(len(m.wasm))/1e6))
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

func (m *module) build(done chan struct{}, leave func()) {
	defer leave()
	began := time.Now()
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	c, rt, err := m.host.engine.compile(ctx, m.wasm)
	if err == nil {
		if err = checkLinks(c); err != nil {
			err = errors.Join(err, c.Close(ctx))
			c = nil
		}
	}
	m.host.log.Debug("compiled", "module", m.name, "took", time.Since(began), "error", err)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.failed = err
	} else {
		m.compiled, m.runtime = c, rt
	}
	close(done)
}

// unload frees the compiled form of a module that is refused for err, which it
// returns.
func (m *module) unload(ctx context.Context, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.compiled == nil {
		return err
	}
	if failed := m.compiled.Close(context.WithoutCancel(ctx)); failed != nil {
		err = errors.Join(err, failed)
	}
	return err
}

// checkLinks returns an error that says which import or export is wrong.
func checkLinks(c wazero.CompiledModule) error {
	if len(c.ImportedMemories()) > 0 {
		return errors.New("the module imports a memory; it must export its own")
	}
	for _, f := range c.ImportedFunctions() {
		mod, name, _ := f.Import()
		switch mod {
		case abi.WASI:
			// A function that preview 1 does not have fails when it is linked.
		case abi.Version:
			if !slices.Contains(importNames, name) {
				return fmt.Errorf("the module imports %s.%s, which this host does not have", mod, name)
			}
		default:
			return fmt.Errorf("the module imports %s.%s; only %s and %s may be imported", mod, name, abi.WASI, abi.Version)
		}
	}
	if _, ok := c.ExportedMemories()[abi.ExportMemory]; !ok {
		return fmt.Errorf("the module does not export its memory as %q", abi.ExportMemory)
	}
	i32 := api.ValueTypeI32
	for _, want := range []struct {
		name            string
		params, results []api.ValueType
		text            string
	}{
		{abi.ExportDescribe, nil, []api.ValueType{i32}, "() -> i32"},
		{abi.ExportCall, []api.ValueType{i32}, []api.ValueType{i32}, "(i32) -> i32"},
	} {
		f, ok := c.ExportedFunctions()[want.name]
		if !ok {
			return fmt.Errorf("the module does not export %s %s", want.name, want.text)
		}
		if !slices.Equal(f.ParamTypes(), want.params) || !slices.Equal(f.ResultTypes(), want.results) {
			return fmt.Errorf("the module exports %s with another signature than %s", want.name, want.text)
		}
	}
	if f, ok := c.ExportedFunctions()[abi.ExportInitialize]; ok && len(f.ParamTypes())+len(f.ResultTypes()) > 0 {
		return fmt.Errorf("the module exports %s with another signature than () -> ()", abi.ExportInitialize)
	}
	return nil
}

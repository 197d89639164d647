package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/instrument"
)

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
	ready    *code
	building chan struct{} // closed when the build under way ended
	stop     func()        // ends that build
	waiting  int           // calls that wait for it
	failed   error
	closed   bool
}

// newModule checks what can be checked at once.
func newModule(h *Host, name string, wasm []byte) (*module, error) {
	if len(wasm) > maxModule {
		return nil, fmt.Errorf("the module has %d bytes, at most %d are loaded", len(wasm), maxModule)
	}
	return &module{host: h, name: name, wasm: wasm}, nil
}

// begin starts building the module, unless that was done, so that it goes on while
// the caller does something else. It needs no end: Close stops a build that no call
// waits for.
func (m *module) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.beginLocked()
}

func (m *module) beginLocked() error {
	if m.ready != nil || m.failed != nil || m.building != nil || m.native != nil {
		return nil
	}
	leave, err := m.host.enter() // Close waits: freeing the runtime under a compile would crash it
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(m.host.stopping)
	m.building, m.stop = make(chan struct{}), stop
	go func() {
		defer leave()
		defer stop()
		m.make(ctx, m.building)
	}()
	return nil
}

// abandon stops a build that no call waits for.
func (m *module) abandon() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil && m.waiting == 0 {
		m.stop()
	}
}

// code returns the module ready for use, building it if this is the first use.
// When ctx ends first, it returns ctx's error and the build goes on for the next
// caller.
func (m *module) code(ctx context.Context) (*code, error) {
	m.mu.Lock()
	if err := m.beginLocked(); err != nil {
		m.mu.Unlock()
		return nil, err
	}
	if m.ready != nil || m.failed != nil {
		defer m.mu.Unlock()
		return m.ready, m.failed
	}
	m.waiting++
	done := m.building
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.waiting--
		m.mu.Unlock()
	}()
	slow := time.NewTimer(300 * time.Millisecond)
	defer slow.Stop()
	for {
		select {
		case <-done:
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.ready, m.failed
		case <-slow.C:
			m.host.progress(fmt.Sprintf("compiling %s (once; %.1f MB)", m.name, float64(len(m.wasm))/1e6))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// buildSafely makes an error of a panic: a module must not end the process.
func (m *module) buildSafely(ctx context.Context) (c *code, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("making the module ready: %v", p)
		}
	}()
	return m.build(ctx)
}

func (m *module) make(ctx context.Context, done chan struct{}) {
	began := time.Now()
	c, err := m.buildSafely(ctx)
	if err == nil {
		if err = checkExports(c.compiled); err != nil {
			err = errors.Join(err, c.close(context.Background()))
			c = nil
		}
	}
	m.host.log.Debug("made ready", "module", m.name, "took", time.Since(began), "error", err)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed && err == nil {
		c, err = nil, errors.Join(ErrClosed, c.close(context.Background()))
	}
	m.ready, m.failed = c, err
	close(done)
}

// run makes one call of the module in an instance of its own: of an export with
// the input frame (nil: an export without parameters), on the files given (nil:
// none). Errors are causes for a FaultError; detail is what the guest left on its
// standard error.
func (m *module) run(ctx context.Context, c *guestCall, files sys.FS, export string, input *abi.Frame) (answer *abi.Frame, detail string, err error) {
	var code *code
	if m.native == nil {
		// Before the gate: those who wait for one module's build hold up no others.
		if code, err = m.code(ctx); err != nil {
			return nil, "", err
		}
	}
	leave, err := m.host.gate.enter(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() { leave() }()
	c.caller, c.limits = ctx, &m.host.opts.Limits
	c.meter.limit = c.limits.Fuel
	ctx, c.lease = newLease(ctx)
	defer c.lease.release()
	if m.native != nil {
		answer, err = m.native.run(c, export, input)
		return answer, "", err
	}
	in, err := code.spares.take(c.caller, code)
	if err != nil {
		return nil, "", err
	}
	answer, detail, err = in.run(ctx, c, files, export, input)
	code.spares.drop(in, err == nil, leave)
	leave = func() {}
	return answer, detail, err
}

// refuse frees a module that is not loaded for err, which it returns.
func (m *module) refuse(ctx context.Context, err error) error {
	if failed := m.close(context.WithoutCancel(ctx)); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// close frees the module's code, or ends its build; no call may run.
func (m *module) close(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.stop != nil {
		m.stop()
	}
	if m.ready == nil {
		return nil
	}
	err := m.ready.close(ctx)
	m.ready, m.failed = nil, ErrClosed
	return err
}

// checkImports returns an error that says which import may not be.
func checkImports(m *instrument.Module) error {
	if m.HasStart() {
		return errors.New("the module has a start section; export its start-up code as _initialize (AssemblyScript: --exportStart _initialize)")
	}
	for _, im := range m.Imports() {
		switch {
		case im.Module != abi.WASI && im.Module != abi.Version:
			return fmt.Errorf("the module imports %s.%s; only %s and %s may be imported", im.Module, im.Name, abi.WASI, abi.Version)
		case im.Kind != "function":
			return fmt.Errorf("the module imports the %s %s.%s; it must have its own", im.Kind, im.Module, im.Name)
		case im.Module == abi.Version && !slices.Contains(importNames, im.Name):
			return fmt.Errorf("the module imports %s.%s, which this host does not have", im.Module, im.Name)
		}
		// A function that WASI preview 1 does not have fails when it is linked.
	}
	return nil
}

// checkExports returns an error that says which export is missing or wrong.
func checkExports(c wazero.CompiledModule) error {
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

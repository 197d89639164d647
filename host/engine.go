package host

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/ohhost/ohhost/host/codecache"
)

// wazeroVersion is in the names of cache entries: wazero calls itself "dev" in
// test binaries, and code of another version must never be loaded. A test compares
// it with go.mod.
const wazeroVersion = "wazero-v1.12.0"

// features of WebAssembly that guests may use; host/instrument knows no others.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesExtendedConst

// compileTimeout is how long one module may be compiled. The caps of
// host/instrument keep each function short, between which the time is looked at.
const compileTimeout = 2 * time.Minute

// An engine is wazero with what one module needs: the host's functions, and a
// private directory by which compiled code comes in and goes out.
type engine struct {
	runtime wazero.Runtime
	cache   wazero.CompilationCache // nil on the interpreter
	scratch *codecache.Scratch      // nil where code is not kept
}

// newEngine makes an engine. scratch may be nil; the engine closes it.
func newEngine(ctx context.Context, interpreter bool, memoryPages uint32, scratch *codecache.Scratch) (_ *engine, err error) {
	e := &engine{scratch: scratch}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close(ctx))
		}
	}()
	cfg := wazero.NewRuntimeConfigInterpreter()
	if !interpreter {
		cfg = wazero.NewRuntimeConfigCompiler()
		if scratch != nil {
			if e.cache, err = wazero.NewCompilationCacheWithDir(scratch.Path()); err != nil {
				return nil, err
			}
			cfg = cfg.WithCompilationCache(e.cache)
		}
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, cfg.WithCoreFeatures(features).WithMemoryLimitPages(memoryPages))
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return nil, err
	}
	if err = instantiateMeter(ctx, e.runtime); err != nil {
		return nil, err
	}
	return e, instantiateImports(ctx, e.runtime)
}

// compile compiles a module, for as long as an untrusted one may take.
func (e *engine) compile(ctx context.Context, wasm []byte) (wazero.CompiledModule, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, compileTimeout, errCompileTime)
	defer cancel()
	// With two workers and more, wazero looks at the context between functions.
	ctx = experimental.WithCompilationWorkers(ctx, max(2, runtime.GOMAXPROCS(0)))
	return e.runtime.CompileModule(ctx, wasm)
}

var errCompileTime = errors.New("compiling took more than 2 minutes")

// dropScratch removes the private directory: wazero has read and written all that it
// will.
func (e *engine) dropScratch() error {
	if e.scratch == nil {
		return nil
	}
	s := e.scratch
	e.scratch = nil
	return s.Close()
}

func (e *engine) close(ctx context.Context) error {
	var errs []error
	if e.runtime != nil {
		errs = append(errs, e.runtime.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	return errors.Join(append(errs, e.dropScratch())...)
}

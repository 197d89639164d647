package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// memoryLimitPages caps a guest's linear memory: 256 MiB in pages of 64 KiB.
const memoryLimitPages = 4096

// An engine is wazero as the host uses it: a runtime with a cache of compiled
// code on disk, and one without, made when the first is let down by its cache.
type engine struct {
	log      hclog.Logger
	cacheDir string // empty: the runtime caches in memory
	cached   wazero.Runtime
	cache    wazero.CompilationCache // nil on the interpreter

	mu    sync.Mutex
	plain wazero.Runtime
}

func newEngine(log hclog.Logger, opts *Options, cacheDir string) (_ *engine, err error) {
	e := &engine{log: log}
	if opts.Interpreter || Interpreted {
		e.cached, err = newRuntime(wazero.NewRuntimeConfigInterpreter())
		return e, err
	}
	if !opts.NoCache {
		if e.cache, e.cacheDir, err = diskCache(cacheDir); err != nil {
			log.Warn("running without a cache of compiled plugins", "error", err)
		}
	}
	if e.cache == nil {
		e.cache = wazero.NewCompilationCache()
	}
	e.cached, err = newRuntime(wazero.NewRuntimeConfigCompiler().WithCompilationCache(e.cache))
	return e, err
}

func newRuntime(cfg wazero.RuntimeConfig) (wazero.Runtime, error) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, cfg.WithCloseOnContextDone(true).WithMemoryLimitPages(memoryLimitPages))
	_, err := wasi_snapshot_preview1.Instantiate(ctx, r)
	if err == nil {
		err = instantiateImports(ctx, r)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// compile compiles a module, also when the cache on disk is damaged, full or
// cannot be written: then without it, and what is in it is removed.
func (e *engine) compile(ctx context.Context, wasm []byte) (wazero.CompiledModule, wazero.Runtime, error) {
	c, err := e.cached.CompileModule(ctx, wasm)
	if err == nil || e.cacheDir == "" {
		return c, e.cached, err
	}
	plain, failed := e.withoutCache()
	if failed != nil {
		return nil, nil, err
	}
	c, failed = plain.CompileModule(ctx, wasm)
	if failed != nil {
		return nil, nil, failed // the module is at fault, not the cache
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	e.log.Warn("running without a cache of compiled plugins", "error", first)
	if failed := emptyDir(e.cacheDir); failed != nil {
		e.log.Debug("the cache cannot be emptied", "error", failed)
	}
	return c, plain, nil
}

func (e *engine) withoutCache() (_ wazero.Runtime, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.plain == nil {
		e.plain, err = newRuntime(wazero.NewRuntimeConfigCompiler())
	}
	return e.plain, err
}

func (e *engine) close(ctx context.Context) error {
	errs := []error{e.cached.Close(ctx)}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	if e.plain != nil {
		errs = append(errs, e.plain.Close(ctx))
	}
	return errors.Join(errs...)
}

// diskCache opens the cache below dir. Security: what is in there is run as
// native code, so the directory must be the user's own and closed to all others.
func diskCache(dir string) (wazero.CompilationCache, string, error) {
	if dir == "" {
		return nil, "", errors.New("the user has no cache directory")
	}
	own := filepath.Join(dir, wazeroVersion)
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, "", err
	}
	for _, d := range []string{dir, own} {
		if err := checkPrivate(d); err != nil {
			return nil, "", err
		}
	}
	cache, err := wazero.NewCompilationCacheWithDir(own)
	if err != nil {
		return nil, "", err
	}
	return cache, own, nil
}

// emptyDir removes what is in dir.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

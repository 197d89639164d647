package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/ohhost/ohhost/host/codecache"
	"github.com/ohhost/ohhost/host/instrument"
)

// startTimeout is how long start-up code may run when its state is to be kept.
// Code that takes longer runs in each call, under the call's own deadline.
const startTimeout = 2 * time.Second

// imageMax is how many bytes start-up code may have written for its state to be kept.
const imageMax = 32 << 20

// A recipe is what the cache keeps of a module beside its bytes.
type recipe struct {
	Started bool     // the image was taken after the start-up code had run
	Globals []string // exports that hold the mutable globals
	Path    string   // of wazero's file in its own cache
}

// Parts of a module's entry in the cache. What wazero compiled is an entry of its
// own, of one part: it is read while wazero validates the module.
const (
	partRecipe = iota // JSON
	partWasm          // the rewritten module
	partImage         // empty: the module cannot be frozen
	partCount
)

// entryVersion is that of the recipe and the image.
const entryVersion = "v2"

// build makes a module ready: from the cache, or by rewriting it, compiling it,
// and running its start-up code.
func (m *module) build(ctx context.Context) (c *code, err error) {
	defer func() {
		if c != nil {
			err = errors.Join(err, c.engine.dropScratch())
		}
	}()
	if cache := m.host.cache(false); cache != nil {
		if c, err = m.fromCache(ctx, cache); err == nil {
			return c, nil
		}
		var poisoned *codecache.PoisonedError
		switch {
		case errors.As(err, &poisoned):
			m.host.log.Warn("cached code was changed by somebody else, compiling anew", "module", m.name, "error", err)
		case !errors.Is(err, fs.ErrNotExist):
			m.host.log.Warn("cached code cannot be used, compiling anew", "module", m.name, "error", err)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var parts [][]byte
	if c, parts, err = m.compile(ctx, !m.host.opts.NoCache); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil { // perhaps amid the start-up code: its image is not to be kept
		return nil, errors.Join(err, c.close(context.WithoutCancel(ctx)))
	}
	if cache := m.host.cache(true); cache != nil {
		m.store(cache, parts, c.engine)
	}
	return c, nil
}

// cacheName names what the rewritten module depends on, and whose key it is: one
// cache may serve several state directories.
func (m *module) cacheName(cache *codecache.Cache) string {
	h := sha256.New()
	l := &m.host.opts.Limits
	fmt.Fprintf(h, "%d %d\n", l.MemoryPages, l.TableElements)
	h.Write(m.wasm)
	return strings.Join([]string{entryVersion, instrument.Version, wazeroVersion, runtime.GOOS, runtime.GOARCH, cache.KeyID(), hex.EncodeToString(h.Sum(nil))}, "-")
}

// codeName names the entry with what wazero compiled. The path of its file is a
// digest of the rewritten module and of the processor's features: two entries that
// are stored at the same time for different processors, or of which one is stored
// and the other is not, must not be taken for a pair.
func codeName(name, path string) string {
	h := sha256.Sum256([]byte(path))
	return name + "-" + hex.EncodeToString(h[:8]) + ".code"
}

// scratch makes the directory by which wazero's files come and go, or nil: then
// nothing is kept.
func (m *module) scratch(keep bool) *codecache.Scratch {
	if !keep {
		return nil
	}
	s, err := codecache.NewScratch()
	if err != nil {
		m.host.log.Warn("compiled code is not kept", "error", err)
		return nil
	}
	return s
}

// fromCache makes a module ready from what the cache has.
func (m *module) fromCache(ctx context.Context, cache *codecache.Cache) (_ *code, err error) {
	name := m.cacheName(cache)
	entry, err := cache.Load(name)
	if err != nil {
		return nil, err
	}
	defer entry.Close()
	if len(entry.Parts) != partCount {
		return nil, fmt.Errorf("the entry has %d parts", len(entry.Parts))
	}
	var r recipe
	if err := json.Unmarshal(entry.Parts[partRecipe], &r); err != nil {
		return nil, err
	}
	c := m.newCode()
	c.globals, c.started = r.Globals, r.Started
	if image := slices.Clone(entry.Parts[partImage]); len(image) > 0 {
		if c.image, err = decodeImage(image); err != nil {
			return nil, err
		}
	}
	scratch := m.scratch(true)
	fed := func() error { return nil }
	if scratch != nil {
		if fed, err = scratch.Feed(r.Path, codeSource(cache, codeName(name, r.Path))); err != nil {
			return nil, errors.Join(err, scratch.Close())
		}
	}
	if c.engine, err = m.engine(ctx, scratch); err != nil {
		return nil, errors.Join(err, fed())
	}
	c.compiled, err = c.engine.compile(ctx, entry.Parts[partWasm])
	if failed := fed(); failed != nil {
		err = failed // what wazero says follows from it
	}
	if err != nil {
		return nil, errors.Join(err, c.close(ctx))
	}
	if scratch != nil {
		// On a processor with other features wazero did not find its file.
		m.store(cache, entry.Parts, c.engine)
	}
	return c, nil
}

// codeSource is the entry with what wazero compiled.
func codeSource(cache *codecache.Cache, name string) codecache.Source {
	return func() ([]byte, func(), error) {
		entry, err := cache.Load(name)
		if err != nil {
			return nil, nil, err
		}
		if len(entry.Parts) != 1 {
			entry.Close()
			return nil, nil, fmt.Errorf("the entry of code has %d parts", len(entry.Parts))
		}
		return entry.Parts[0], entry.Close, nil
	}
}

func (m *module) engine(ctx context.Context, scratch *codecache.Scratch) (*engine, error) {
	return newEngine(ctx, m.host.interpreted(), m.host.opts.Limits.MemoryPages, scratch)
}

// store keeps the file that wazero has written, if it has, and the other parts. A
// cache that cannot be written is only logged.
func (m *module) store(cache *codecache.Cache, parts [][]byte, e *engine) {
	if e.scratch == nil {
		return
	}
	files, err := e.scratch.Files()
	if err == nil {
		err = e.scratch.Empty()
	}
	for path, code := range files {
		if err != nil {
			break
		}
		var r recipe
		if err = json.Unmarshal(parts[partRecipe], &r); err != nil {
			break
		}
		r.Path = path
		name := m.cacheName(cache)
		parts = slices.Clone(parts)
		if parts[partRecipe], err = json.Marshal(r); err == nil {
			err = cache.Store(codeName(name, path), [][]byte{code})
		}
		if err == nil {
			err = cache.Store(name, parts)
		}
	}
	if err != nil {
		m.host.log.Warn("compiled code is not kept", "module", m.name, "error", err)
	}
}

// compile rewrites and compiles the module, and takes the state that instances
// begin with. The parts lack wazero's file.
func (m *module) compile(ctx context.Context, keep bool) (_ *code, parts [][]byte, err error) {
	parsed, err := instrument.Parse(m.wasm, m.host.opts.Limits.instrument())
	if err != nil {
		return nil, nil, err
	}
	if err := checkImports(parsed); err != nil {
		return nil, nil, err
	}
	plan := &instrument.Plan{Frozen: parsed.Freezable() == nil}
	wasm, err := parsed.Rewrite(plan)
	if err != nil {
		return nil, nil, err
	}
	c := m.newCode()
	if err := m.compileInto(ctx, c, wasm, m.scratch(keep && !m.host.interpreted())); err != nil {
		return nil, nil, err
	}
	var image []byte
	if plan.Frozen {
		if err = m.freeze(ctx, c, parsed); err != nil {
			return nil, nil, errors.Join(err, c.close(ctx))
		}
		image = c.image.encode()
	}
	r, err := json.Marshal(recipe{Started: c.started, Globals: c.globals})
	return c, [][]byte{r, wasm, image}, err
}

// compileInto compiles the module and gives c the result. wazero fails where it
// cannot write to its directory, as on a full disk: the module is compiled without
// one then.
func (m *module) compileInto(ctx context.Context, c *code, wasm []byte, scratch *codecache.Scratch) (err error) {
	if c.engine, err = m.engine(ctx, scratch); err != nil {
		return err
	}
	if c.compiled, err = c.engine.compile(ctx, wasm); err == nil {
		return nil
	}
	closed := c.engine.close(ctx)
	c.engine = nil
	var errno syscall.Errno
	if scratch != nil && ctx.Err() == nil && errors.As(err, &errno) {
		m.host.log.Warn("compiled code is not kept", "module", m.name, "error", err)
		return m.compileInto(ctx, c, wasm, nil)
	}
	return errors.Join(stopped(ctx, err), closed)
}

// freeze takes the state of an instance: after its start-up code has run, if that
// code asked for no files, wrote nothing and called nothing of the host's own, else
// before. What it drew from the clock and from random numbers is then the same for all
// instances, as package abi says.
func (m *module) freeze(ctx context.Context, c *code, parsed *instrument.Module) error {
	segments, err := parsed.Segments()
	if err != nil {
		return err
	}
	c.globals = parsed.FrozenGlobals()
	in, err := c.instantiate(ctx, nil)
	if err != nil {
		return err
	}
	defer in.close()
	for _, s := range segments {
		if !in.mod.Memory().Write(s.Offset, s.Bytes) {
			return errors.New("a data segment lies outside of the memory")
		}
	}
	if c.image, err = takeImage(in.mod, c.globals); err != nil {
		return err
	}
	if !parsed.HasInitialize() {
		c.started = true
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	call := &guestCall{log: m.host.log.Named(m.name), limits: &m.host.opts.Limits}
	if err := in.start(ctx, call); err != nil || call.hostCalls > 0 || in.slot.touched || len(in.slot.out.b) > 0 {
		m.host.log.Debug("start-up code runs in each call", "module", m.name, "error", err)
		return nil
	}
	image, err := takeImage(in.mod, c.globals)
	if err == nil && image.size() <= imageMax {
		c.image, c.started = image, true
	}
	return err
}

// code is a module ready to be instantiated.
type code struct {
	engine   *engine
	compiled wazero.CompiledModule
	globals  []string // exports that hold the mutable globals, of a module with an image
	image    *image   // the state that instances begin with; nil is the module's own
	started  bool     // the start-up code need not run any more
	limit    uint32   // pages that a memory may have
	spares   spares
}

func (m *module) newCode() *code {
	return &code{limit: m.host.opts.Limits.MemoryPages, spares: spares{want: m.host.opts.spares()}}
}

// memoryMax is how large the memory of an instance may grow, in bytes.
func (c *code) memoryMax() uint64 {
	for _, m := range c.compiled.ExportedMemories() {
		if pages, ok := m.Max(); ok {
			return uint64(min(pages, c.limit)) * pageSize
		}
	}
	return uint64(c.limit) * pageSize
}

// close frees the code; no call may use it.
func (c *code) close(ctx context.Context) error {
	c.spares.close()
	if c.image != nil {
		c.image.close()
	}
	return c.engine.close(ctx)
}

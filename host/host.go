package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/codecache"
	"github.com/ohhost/ohhost/tool"
)

// ErrClosed is the cause of faults after Close.
var ErrClosed = errors.New("host is closed")

// A Host loads plugins and binds their tools. It is safe for concurrent use.
type Host struct {
	opts Options
	dirs dirs
	log  hclog.Logger
	gate *gate

	cacheOnce sync.Once
	codeCache *codecache.Cache // see cache

	// stopping ends when Close stops waiting: the one context that is kept,
	// because it is the host's own lifetime and not a caller's.
	stopping context.Context
	stop     context.CancelFunc

	mu       sync.Mutex
	closed   bool
	modules  []*module
	tools    map[string]loaded
	sessions map[string]*sharedSession
	bound    map[*bound]struct{}
	running  sync.WaitGroup

	warnState sync.Once
}

// loaded is a tool of a module.
type loaded struct {
	spec   *abi.Spec
	module *module
}

// New starts a host without plugins. nil options work. Where the cache directory
// cannot be used, the host runs uncached and logs one warning.
func New(opts *Options) (*Host, error) {
	if opts == nil {
		opts = &Options{}
	}
	h := &Host{opts: *opts, dirs: opts.dirs(), log: opts.Logger, tools: map[string]loaded{}, sessions: map[string]*sharedSession{}, bound: map[*bound]struct{}{}}
	h.opts.Limits = opts.Limits.defaults()
	if h.log == nil {
		h.log = hclog.NewNullLogger()
	}
	h.stopping, h.stop = context.WithCancel(context.Background())
	h.gate = newGate(h.opts.Limits.Instances, h.opts.Limits.Queue)
	return h, nil
}

// Load adds a module's tools. With specs, the module is trusted to have just
// those, and is compiled when one is first called; without, it is compiled and
// asked now. name is for logs and errors. A module that imports what the host
// does not have, lacks an export, or describes itself wrongly is refused with
// the reason, as is a tool name that is taken.
func (h *Host) Load(ctx context.Context, name string, wasm []byte, specs []*abi.Spec) error {
	leave, err := h.enter()
	if err != nil {
		return fmt.Errorf("load %s: %w", name, err)
	}
	defer leave()
	m, err := newModule(h, name, wasm)
	if err != nil {
		return fmt.Errorf("load %s: %w", name, err)
	}
	if specs == nil {
		if _, err := m.code(ctx); err != nil {
			return m.refuse(ctx, fmt.Errorf("load %s: %w", name, err))
		}
		if specs, err = m.describe(ctx); err != nil {
			return m.refuse(ctx, fmt.Errorf("load %w", err))
		}
	}
	if err := h.add(m, specs); err != nil {
		return m.refuse(ctx, err)
	}
	return nil
}

func (h *Host) add(m *module, specs []*abi.Spec) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range specs {
		if other, taken := h.tools[s.Name]; taken {
			return fmt.Errorf("load %s: tool %q: %s has a tool of that name", m.name, s.Name, other.module.name)
		}
	}
	if h.closed {
		return fmt.Errorf("load %s: %w", m.name, ErrClosed)
	}
	for _, s := range specs {
		h.tools[s.Name] = loaded{spec: s, module: m}
	}
	h.modules = append(h.modules, m)
	return nil
}

// Specs lists the tools of all modules, sorted by name.
func (h *Host) Specs() []*abi.Spec {
	h.mu.Lock()
	defer h.mu.Unlock()
	specs := make([]*abi.Spec, 0, len(h.tools))
	for _, t := range h.tools {
		specs = append(specs, t.spec)
	}
	slices.SortFunc(specs, func(a, b *abi.Spec) int { return strings.Compare(a.Name, b.Name) })
	return specs
}

// Close waits for running calls until ctx ends, then stops them, and frees what
// the host holds. Bound tools fail with ErrClosed afterwards.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	modules, tools := h.modules, h.bound
	h.bound = nil
	h.mu.Unlock()

	for _, m := range modules {
		m.abandon()
	}
	idle := make(chan struct{})
	go func() { h.running.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	h.stop()
	<-idle
	var errs []error
	for _, m := range modules {
		errs = append(errs, m.close(context.WithoutCancel(ctx)))
	}
	if h.codeCache != nil {
		errs = append(errs, h.codeCache.Close())
	}
	for b := range tools {
		errs = append(errs, b.release())
	}
	return errors.Join(errs...)
}

// cache returns the cache of compiled code, or nil where there is none. It is made
// when something is to be stored: a module that is refused leaves nothing behind.
func (h *Host) cache(store bool) *codecache.Cache {
	if h.opts.NoCache || h.interpreted() {
		return nil
	}
	if !store {
		if _, err := os.Lstat(h.cacheKey()); errors.Is(err, fs.ErrNotExist) {
			return nil // nothing that would be ours can be in it
		}
	}
	h.cacheOnce.Do(func() {
		var err error
		if h.codeCache, err = h.openCache(); err != nil {
			h.log.Warn("running without a cache of compiled plugins", "error", err)
		}
	})
	return h.codeCache
}

func (h *Host) cacheKey() string { return filepath.Join(h.dirs.state, "cache.key") }

func (h *Host) openCache() (*codecache.Cache, error) {
	switch {
	case h.dirs.state == "":
		return nil, errors.New("the user has no state directory to keep its key in")
	case h.dirs.cache == "":
		return nil, errors.New("the user has no cache directory")
	}
	return codecache.Open(filepath.Join(h.dirs.cache, "code"), h.cacheKey(), &codecache.Options{Logger: h.log})
}

func (h *Host) interpreted() bool { return h.opts.Interpreter || Interpreted }

// enter registers work that Close must wait for; the caller must call the
// function returned.
func (h *Host) enter() (func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	h.running.Add(1)
	return h.running.Done, nil
}

func (h *Host) progress(text string) {
	if h.opts.Progress != nil {
		h.opts.Progress(text)
	}
}

// lookup finds a loaded tool.
func (h *Host) lookup(name string) (loaded, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return loaded{}, ErrClosed
	}
	t, ok := h.tools[name]
	if !ok {
		return loaded{}, fmt.Errorf("%w: %s", tool.ErrUnknownTool, name)
	}
	return t, nil
}

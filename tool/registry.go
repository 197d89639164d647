package tool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ohhost/ohhost/abi"
)

// ErrClosed is the cause of a fault after Registry.Close.
var ErrClosed = errors.New("closed")

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// An UnknownToolError names a tool that no source brings. It Is ErrUnknownTool.
type UnknownToolError struct {
	Name  string
	Known []string // the names that exist, sorted
}

// Error lists the names that exist.
func (e *UnknownToolError) Error() string {
	name := quote(e.Name)
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown tool %s: there are no tools", name)
	}
	return fmt.Sprintf("unknown tool %s; the tools are %s", name, strings.Join(e.Known, ", "))
}

// Is reports whether target is ErrUnknownTool.
func (e *UnknownToolError) Is(target error) bool { return target == ErrUnknownTool }

// RegistryOptions are the options of NewRegistry.
type RegistryOptions struct {
	// MaxTools is how many tools the sources may bring together; 0 is 1024. A
	// source that lists thousands is a fault or an attack, not a tool box.
	MaxTools int
}

// A Registry holds the tools of several sources and wraps those it binds. It is
// safe for concurrent use.
type Registry struct {
	max int

	mu      sync.RWMutex
	closed  bool
	sources []Source
	tools   map[string]entry
	wrap    []Middleware
}

type entry struct {
	spec   *abi.Spec
	source Source
}

// NewRegistry returns a Registry without tools. Nil options are the defaults.
func NewRegistry(opts *RegistryOptions) *Registry {
	r := &Registry{max: 1024, tools: map[string]entry{}}
	if opts != nil && opts.MaxTools > 0 {
		r.max = opts.MaxTools
	}
	return r
}

// Add takes all tools of a source, or none: a name that is taken or is not
// [A-Za-z0-9_-]{1,64}, and a schema that CheckSpec refuses, are errors. The
// registry closes the sources that it took.
func (r *Registry) Add(s Source) error {
	specs := s.Specs()
	for _, spec := range specs {
		if err := CheckSpec(spec); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	added := map[string]entry{}
	for _, spec := range specs {
		_, here := added[spec.Name]
		if _, there := r.tools[spec.Name]; here || there {
			return fmt.Errorf("tool %q: the name is taken by another tool", spec.Name)
		}
		added[spec.Name] = entry{spec, s}
	}
	if n := len(r.tools) + len(added); n > r.max {
		return fmt.Errorf("%d tools: over the limit of %d", n, r.max)
	}
	maps.Copy(r.tools, added)
	r.sources = append(r.sources, s)
	return nil
}

// Use adds middleware for the tools that are bound from now on: the first that
// was added is the outermost.
func (r *Registry) Use(m ...Middleware) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrap = append(r.wrap, m...)
}

// Specs lists all tools, sorted by name. The caller must not change them.
func (r *Registry) Specs() []*abi.Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	specs := make([]*abi.Spec, 0, len(r.tools))
	for _, name := range r.names() {
		specs = append(specs, r.tools[name].spec)
	}
	return specs
}

// Bind returns the named tool for a grant, with the middleware around it. A
// name that nobody brings is an *UnknownToolError; other errors are the
// source's.
func (r *Registry) Bind(ctx context.Context, name string, g *Grant) (Tool, error) {
	r.mu.RLock()
	found, ok := r.tools[name]
	closed, known, wrap := r.closed, r.names(), slices.Clone(r.wrap)
	r.mu.RUnlock()
	switch {
	case closed:
		return nil, &FaultError{Tool: name, Op: "bind", Err: ErrClosed}
	case !ok:
		return nil, &UnknownToolError{Name: name, Known: known}
	}
	t, err := found.source.Bind(ctx, name, g)
	if err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(wrap) {
		t = m(t)
	}
	return t, nil
}

// Close closes the sources, see Source. Closing again does nothing.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	sources := r.sources
	r.closed, r.sources = true, nil
	r.mu.Unlock()
	var errs []error
	for _, s := range sources {
		errs = append(errs, s.Close(ctx))
	}
	return errors.Join(errs...)
}

// names needs r.mu.
func (r *Registry) names() []string { return slices.Sorted(maps.Keys(r.tools)) }

// CheckSpec returns an error that names the tool when its name is not
// [A-Za-z0-9_-]{1,64} or arguments cannot be checked with its schema: not JSON,
// not an object, no JSON Schema, over 1 MiB, a reference to another document.
func CheckSpec(s *abi.Spec) error {
	if !toolName.MatchString(s.Name) {
		return fmt.Errorf("tool name %s: want 1 to 64 of the characters A-Z a-z 0-9 _ -", quote(s.Name))
	}
	if _, err := compileSchema(s); err != nil {
		return fmt.Errorf("tool %q: input schema: %w", s.Name, err)
	}
	return nil
}

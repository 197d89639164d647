//go:build linux || darwin

package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/ohhost/ohhost/tool"
)

// A Jail opens the paths that a grant allows, and no others. It is safe for
// concurrent use. The granted directories are opened by New and held: what later
// takes their place is not granted.
type Jail struct {
	opts    Options
	deny    patterns
	allow   patterns
	open    func(path string) (place, error)
	granted []*root

	// mu is held for reading by each call, so that Close frees no handle in use.
	mu     sync.RWMutex
	closed bool

	table   atomic.Pointer[table]
	rebuild sync.Mutex
	pending atomic.Pointer[[]string] // names that a private or open path waits for
	opened  map[string]*root         // of Options.Open, by path; under rebuild
	routes  []*route                 // of the granted paths
}

// New opens the grants of g. A granted path must exist, but a file that is to be
// made may be missing in a directory that exists. The error names the path or
// the pattern that is wrong.
func New(g *tool.Grant, opts *Options) (_ *Jail, err error) {
	j := &Jail{opened: map[string]*root{}}
	if opts != nil {
		j.opts = *opts
		j.opts.Private = slices.Clone(opts.Private)
		j.opts.Open = slices.Clone(opts.Open)
	}
	if j.open, err = opener(j.opts.Backend); err != nil {
		return nil, err
	}
	if j.deny, err = compilePatterns(g.Deny); err != nil {
		return nil, fmt.Errorf("deny: %w", err)
	}
	if j.allow, err = compilePatterns(g.AllowProtected); err != nil {
		return nil, fmt.Errorf("allow protected: %w", err)
	}
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	for _, p := range g.Paths {
		if err := j.grant(p); err != nil {
			return nil, fmt.Errorf("grant %s: %w", p.Path, err)
		}
	}
	if err := j.arrange(); err != nil {
		return nil, err
	}
	return j, nil
}

// opener returns how the backend opens a directory by its resolved path.
func opener(b Backend) (func(string) (place, error), error) {
	switch b {
	case Auto:
		if haveOpenat2() == nil {
			return openPathPlace, nil
		}
		return openRootPlace, nil
	case Openat2:
		if err := haveOpenat2(); err != nil {
			return nil, fmt.Errorf("openat2 cannot be used here: %w; use os.Root", err)
		}
		return openPathPlace, nil
	case OSRoot:
		return openRootPlace, nil
	}
	return nil, fmt.Errorf("no such backend: %d", b)
}

// grant resolves and opens one granted path. Of two grants for one path, that
// for writing counts.
func (j *Jail) grant(p tool.PathGrant) error {
	rt, err := trace(p.Path)
	if err != nil {
		return err
	}
	r := &root{scope: scope{path: rt.path}, write: p.Write}
	r.named(rt.names)
	switch {
	case len(rt.missing) > 1:
		return fmt.Errorf("%s: %w", path.Dir(rt.path), syscall.ENOENT)
	case len(rt.missing) == 1:
		r.single = true
	default:
		fi, err := os.Lstat(rt.path)
		if err != nil {
			return bare(err)
		}
		if !fi.IsDir() && !fi.Mode().IsRegular() {
			return ErrNotRegular
		}
		r.single = !fi.IsDir()
	}
	j.routes = append(j.routes, rt)
	for _, have := range j.granted {
		if have.path == r.path {
			have.write = have.write || r.write
			have.named(r.names)
			return nil
		}
	}
	if err := j.hold(r); err != nil {
		return err
	}
	j.granted = append(j.granted, r)
	return nil
}

// hold opens the directory of a root.
func (j *Jail) hold(r *root) (err error) {
	if r.dir, err = j.open(r.base()); err != nil {
		return err
	}
	// Where the directory may be entered but not read, its path cannot be asked
	// for later; the walk does without.
	r.file, _, _ = r.dir.open(".", r.base())
	return nil
}

// arrange makes the table: anew when a private or an open path appeared that
// was not there before.
func (j *Jail) arrange() error {
	j.rebuild.Lock()
	defer j.rebuild.Unlock()
	t := &table{deny: j.deny, allow: j.allow, above: map[string]bool{}, ways: map[string]string{}}
	for _, r := range j.granted {
		t.add(r)
	}
	for _, rt := range j.routes {
		t.addRoute(rt)
	}
	var pending []string
	for _, p := range j.opts.Private {
		rt, err := trace(p)
		if rt == nil {
			return fmt.Errorf("private path %s: %w", p, err)
		}
		// What cannot be reached from here, such as /root for another user, is
		// closed by its name, as far as that could be resolved.
		t.addPrivate(p, rt)
		if rt.wanted != "" {
			pending = append(pending, rt.wanted)
		}
	}
	for _, p := range j.opts.Open {
		rt, err := trace(p)
		if err != nil {
			return fmt.Errorf("open directory %s: %w", p, err)
		}
		r := j.opened[rt.path]
		switch {
		case r != nil:
		case len(rt.missing) > 0:
			pending = append(pending, rt.wanted)
			r = &root{scope: scope{path: rt.path}, open: true}
		default:
			r = &root{scope: scope{path: rt.path}, open: true}
			if err := j.hold(r); err != nil {
				return fmt.Errorf("open directory %s: %w", p, err)
			}
			j.opened[rt.path] = r
		}
		t.add(r)
		t.addRoute(rt)
	}
	j.table.Store(t)
	j.pending.Store(&pending)
	return nil
}

// current returns the table, made anew if something it waits for is there now.
func (j *Jail) current() *table {
	for _, p := range *j.pending.Load() {
		if _, err := os.Lstat(p); err == nil {
			// What cannot be resolved stays as it was: closed.
			_ = j.arrange()
			break
		}
	}
	return j.table.Load()
}

// Close frees the handles of the granted directories. What was opened through
// the jail stays open; further calls fail with EBADF.
func (j *Jail) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	for _, r := range j.granted {
		r.release()
	}
	for _, r := range j.opened {
		r.release()
	}
	return nil
}

// Grants lists what is granted as resolved, sorted: "ro /etc/hosts", "rw /w".
func (j *Jail) Grants() []string {
	var list []string
	for _, r := range j.granted {
		kind := "ro "
		if r.write {
			kind = "rw "
		}
		list = append(list, kind+r.path)
	}
	slices.Sort(list)
	return list
}

// do runs one operation on a path, again when something moved under it.
func (j *Jail) do(op, p string, run func(t *table) error) error {
	err := j.try(p, run)
	var ref *refusal
	switch errno, _ := err.(syscall.Errno); {
	case err == nil:
		return nil
	case errors.As(err, &ref):
		return &DeniedError{Path: p, Why: ref.why, Ask: ref.ask}
	case err == errRefused:
		return &DeniedError{Path: p, Why: err.Error()}
	case err == errMoved:
		err = syscall.EAGAIN
	case errno == 0 && err != ErrNotRegular && err != ErrTooMany:
		err = syscall.EIO
	}
	return &fs.PathError{Op: op, Path: p, Err: err}
}

func (j *Jail) try(p string, run func(t *table) error) error {
	switch {
	case p == "":
		return syscall.ENOENT
	case strings.IndexByte(p, 0) >= 0 || p[0] != '/':
		return syscall.EINVAL
	case len(p) >= maxPath:
		return syscall.ENAMETOOLONG
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return syscall.EBADF
	}
	t := j.current()
	for range maxWalks {
		if err := run(t); err != errMoved {
			return err
		}
	}
	return errMoved
}

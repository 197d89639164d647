//go:build linux || darwin

package jail

import (
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/ohhost/ohhost/abi"
)

const (
	maxPath  = 4096    // PATH_MAX of Linux: a path must be shorter
	maxLinks = 40      // MAXSYMLINKS of Linux
	maxWalks = 64      // walks that are begun again because something moved
	maxSteps = 1 << 16 // names of one walk, those walked again after ".." included
)

// A spot is where a walk ended: a name in an open directory, or that directory
// itself, and what is there.
type spot struct {
	root  *root
	path  string // resolved
	place place  // owned by the spot, unless it is the root's own
	name  string // "." for the directory itself
	info  info   // its type is TypeNone where nothing is there
	link  string // the text, for a link that was not followed
}

func (s *spot) close() {
	if s.place != nil && s.place != s.root.dir {
		s.place.close()
	}
}

// A walk resolves a path as the kernel does, one name after the other, each
// looked up in the directory that the walk holds open, and decides on each
// name before it is looked up. A link is read and its text walked from where the
// kernel would: from the directory that holds it, or from "/".
type walk struct {
	t      *table
	write  bool // the entry is to be written: its name may be missing
	follow bool // the last link, too
	todo   []string
	slash  bool // the path ended in a slash or "/.": it must be a directory
	links  int
	steps  int

	done  string // resolved so far: a directory
	root  *root  // that grants done; nil where done is only passed
	place place  // of done; nil where it is only passed or not open yet
}

// run walks p, an absolute path. Errors are *refusal, errnos, errMoved or
// errRefused.
func (w *walk) run(p string) (*spot, error) {
	w.done = "/"
	w.enter("/")
	w.push(p, true)
	s, err := w.walk()
	if err != nil {
		w.leave()
		return nil, err
	}
	return s, nil
}

// push puts the names of p before those that are still to be walked.
func (w *walk) push(p string, last bool) {
	if last && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || p == "." || strings.HasSuffix(p, "/..") || p == "..") {
		w.slash = true
	}
	names := strings.Split(p, "/")
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] != "" && names[i] != "." {
			w.todo = append(w.todo, names[i])
		}
	}
}

func (w *walk) walk() (*spot, error) {
	for len(w.todo) > 0 {
		if w.steps++; w.steps > maxSteps {
			return nil, syscall.ELOOP
		}
		name := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if name == ".." {
			w.to(path.Dir(w.done))
			continue
		}
		s, err := w.next(name)
		if s != nil || err != nil {
			return s, err
		}
	}
	return w.here()
}

// next walks one name. It returns a spot when the walk ends there.
func (w *walk) next(name string) (*spot, error) {
	p := join(w.done, name)
	last := len(w.todo) == 0
	r, ref := w.t.read(p, false)
	switch {
	case ref != nil && w.t.above[p] && (ref.rule == outside || ref.rule == private):
		w.to(p)
		return nil, nil
	case ref != nil && w.t.ways[p] != "" && ref.rule == outside:
		return nil, w.link(p, w.t.ways[p], last)
	case ref != nil:
		return nil, w.refuse(ref, p)
	case p == r.path && !r.single:
		w.to(p) // opened when the jail was made, whatever has the name now
		return nil, nil
	}
	place, err := w.open(r)
	if err != nil {
		return nil, err
	}
	f, err := place.step(name, !last)
	if err == syscall.ENOENT || err == nil && f.info.typ == abi.TypeDir {
		// Now that it may be a directory, the patterns for those count.
		if _, ref := w.t.read(p, true); ref != nil {
			if f.sub != nil {
				f.sub.close()
			}
			return nil, ref
		}
	}
	switch {
	case err == syscall.ENOENT && last && w.write && !w.slash:
		return w.end(r, p, name, found{}), nil
	case err == syscall.ENOENT:
		return nil, w.missing(p)
	case err != nil:
		return nil, err
	case f.info.typ == abi.TypeLink && (!last || w.follow || w.slash):
		return nil, w.link(p, f.link, last)
	case f.info.typ == abi.TypeDir && r.single:
		if f.sub != nil {
			f.sub.close()
		}
		return nil, refuseOutside(w.kind(), p) // a file was granted, not what is in its place
	case f.info.typ == abi.TypeDir && !last:
		w.leave()
		w.done, w.root, w.place = p, r, f.sub
		return nil, nil
	case f.info.typ != abi.TypeDir && (!last || w.slash):
		return nil, syscall.ENOTDIR
	}
	return w.end(r, p, name, f), nil
}

// end hands the open directory over to the spot.
func (w *walk) end(r *root, p, name string, f found) *spot {
	s := &spot{root: r, path: p, place: w.place, name: name, info: f.info, link: f.link}
	if r.single {
		s.place = r.dir
		w.leave()
	}
	w.place = nil
	return s
}

// here ends the walk at the directory it has come to.
func (w *walk) here() (*spot, error) {
	r, ref := w.t.read(w.done, true)
	if ref != nil {
		return nil, w.refuse(ref, w.done)
	}
	if r.single {
		return nil, syscall.ENOTDIR
	}
	place, err := w.open(r)
	if err != nil {
		return nil, err
	}
	i, err := place.stat()
	if err != nil {
		return nil, err
	}
	return w.end(r, w.done, ".", found{info: i}), nil
}

// link goes on with the text of the link p. A write is also decided on the path
// as it would be without the link: who runs .git/hooks/pre-commit, or reads
// .bashrc, goes through the same link and does not care where it leads.
func (w *walk) link(p, text string, last bool) error {
	if w.write {
		if ref := w.t.reserved(w.rest(p)); ref != nil {
			return ref
		}
	}
	if w.links++; w.links > maxLinks {
		return syscall.ELOOP
	}
	if text == "" {
		return syscall.ENOENT
	}
	if text[0] == '/' {
		w.to("/")
	}
	w.push(text, last)
	return nil
}

// to moves the walk to a directory that was walked before, or is passed.
func (w *walk) to(dir string) {
	w.leave()
	w.done = dir
	w.enter(dir)
}

// enter finds the root of a directory, without opening anything.
func (w *walk) enter(dir string) {
	w.root, w.place = w.t.root(dir), nil
	if w.root != nil && w.root.path == dir && !w.root.single {
		w.place = w.root.dir
	}
}

func (w *walk) leave() {
	if w.place != nil && (w.root == nil || w.place != w.root.dir) {
		w.place.close()
	}
	w.place = nil
}

// open returns the place in which the next name is looked up: that of done, or
// of the granted file r.
func (w *walk) open(r *root) (place, error) {
	switch {
	case r.single:
		return r.dir, nil
	case w.place != nil:
		return w.place, nil
	case r.dir == nil:
		return nil, syscall.ENOENT
	}
	// done was walked, is free of links and was left by "..": walk it again.
	names := relative(w.done, r.path)
	if f, ok := r.dir.(fast); ok {
		if p, err := f.below(strings.Join(names, "/")); err == nil {
			w.root, w.place = r, p
			return p, nil
		}
	}
	at := r.dir
	for _, name := range names {
		w.steps++
		f, err := at.step(name, true)
		if at != r.dir {
			at.close()
		}
		if err != nil {
			return nil, err
		}
		if f.sub == nil {
			return nil, errMoved
		}
		at = f.sub
	}
	w.root, w.place = r, at
	return at, nil
}

// kind is what to ask for where no grant is.
func (w *walk) kind() string {
	if w.write {
		return "rw"
	}
	return "ro"
}

// refuse completes a refusal at p with what is still to be walked.
func (w *walk) refuse(ref *refusal, p string) error {
	if ref.rule == outside {
		return refuseOutside(w.kind(), w.rest(p))
	}
	return ref
}

// rest is the path at the end of the walk if no further links were on it.
func (w *walk) rest(p string) string {
	for i := len(w.todo) - 1; i >= 0; i-- {
		p = path.Join(p, w.todo[i])
	}
	return p
}

// missing is the error for p, which is not there: what would be refused at the
// end of the walk is refused although something is missing on the way.
func (w *walk) missing(p string) error {
	if slices.Contains(w.todo, "..") {
		return syscall.ENOENT
	}
	end := w.rest(p)
	var ref *refusal
	if w.write {
		ref = w.t.write(end)
	} else {
		_, ref = w.t.read(end, true)
	}
	switch {
	case ref != nil:
		return ref
	case w.write && len(w.todo) == 0:
		return syscall.EISDIR // as the kernel for a new file "name/"
	}
	return syscall.ENOENT
}

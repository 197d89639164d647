//go:build linux || darwin

package jail

import (
	"path"
	"strings"
)

// A table decides on resolved paths. It does not change once it is made.
type table struct {
	roots  []*root
	scopes []scope           // the roots under all their names
	above  map[string]bool   // directories on the way to a root: passed without a look
	ways   map[string]string // links on the way to a root, as they were when it was opened
	deny   patterns
	allow  patterns
	closed [][]string // private paths, folded components
	sites  [][]string // private paths and the links that lead to them
}

// A refusal is a DeniedError without the path as the caller wrote it.
type refusal struct {
	rule rule
	why  string
	ask  string
}

func (r *refusal) Error() string { return r.why }

// A rule is what refuses, in the order of precedence but for outside: where
// there is no grant, there is nothing else to say.
type rule int

const (
	outside rule = iota
	denied
	private
	protected
	readOnly
)

// refuseOutside asks for p to be granted; kind is "ro" or "rw".
func refuseOutside(kind, p string) *refusal {
	return &refusal{outside, "it is outside the grants", "--grant " + quoteArg(kind+":"+p)}
}

func refusePrivate() *refusal {
	return &refusal{rule: private, why: "it belongs to the host itself"}
}

// within reports whether p is dir or below it.
func within(p, dir string) bool {
	return dir == "/" || strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

// root returns the most specific root that grants p, or nil.
func (t *table) root(p string) *root {
	var best *root
	for _, r := range t.roots {
		if r.holds(p) && (best == nil || len(r.path) > len(best.path)) {
			best = r
		}
	}
	return best
}

// read decides whether p may be looked at. It takes p for a directory if dir;
// when nobody knows yet, one asks for false first.
func (t *table) read(p string, dir bool) (*root, *refusal) {
	r := t.root(p)
	if r == nil {
		return nil, refuseOutside("ro", p)
	}
	if ref := t.excluded(p, dir); ref != nil {
		return nil, ref
	}
	if t.closes(p) && !t.opened(p) {
		return nil, refusePrivate()
	}
	return r, nil
}

// write decides whether the entry p may be made, replaced, moved or removed.
func (t *table) write(p string) *refusal {
	r := t.root(p)
	if r == nil {
		return refuseOutside("rw", p)
	}
	if ref := t.excluded(p, true); ref != nil {
		return ref
	}
	if ref := t.reserved(p); ref != nil {
		return ref
	}
	switch {
	case !r.write:
		return &refusal{readOnly, "it is granted for reading only", "--grant " + quoteArg("rw:"+p)}
	case !r.single && p == r.path:
		return &refusal{outside, "it is a granted directory itself", "--grant " + quoteArg("rw:"+path.Dir(p))}
	}
	return nil
}

// reserved decides whether something else than the grant keeps p from being
// written: that it is the host's own, or protected.
func (t *table) reserved(p string) *refusal {
	if t.site(p) {
		return refusePrivate()
	}
	return t.protects(p)
}

// excluded applies the deny patterns of every root that p lies in, not only of the
// most specific one.
func (t *table) excluded(p string, dir bool) *refusal {
	if len(t.deny) == 0 {
		return nil
	}
	for _, r := range t.roots {
		if r.open || !r.holds(p) {
			continue
		}
		if pat := t.deny.find(relative(p, r.base()), dir); pat != nil {
			return &refusal{rule: denied, why: "it matches the deny pattern " + quoteArg(pat.text)}
		}
	}
	return nil
}

// closes reports whether p is one of the host's own paths or below one, in any
// letter case.
func (t *table) closes(p string) bool {
	for _, c := range t.closed {
		if startsWith(p, c) {
			return true
		}
	}
	return false
}

func (t *table) opened(p string) bool {
	for _, r := range t.roots {
		if r.open && r.holds(p) {
			return true
		}
	}
	return false
}

// site reports whether p is private, or a directory or link on the way to what
// is private: whoever replaces that decides where the host's own files
// are.
func (t *table) site(p string) bool {
	if t.closes(p) {
		return true
	}
	names := components(p)
	for _, s := range t.sites {
		if len(names) > len(s) {
			continue
		}
		same := true
		for i := range names {
			same = same && sameFolded(names[i], s[i])
		}
		if same {
			return true
		}
	}
	return false
}

// add makes r one of the roots.
func (t *table) add(r *root) {
	t.roots = append(t.roots, r)
	t.scopes = append(t.scopes, r.scope)
	for _, n := range r.names {
		t.scopes = append(t.scopes, scope{n, r.single})
	}
}

// spellings returns p and the other names it has because a root has them.
func (t *table) spellings(p string) []string {
	all := []string{p}
	for _, r := range t.roots {
		if !r.holds(p) {
			continue
		}
		for _, n := range r.names {
			all = append(all, path.Join(n, p[len(r.path):]))
		}
	}
	return all
}

// protects applies the protections to p under all of its names.
func (t *table) protects(p string) *refusal {
	for _, p := range t.spellings(p) {
		names := components(p)
		from := len(names)
		for i := range t.scopes {
			if s := &t.scopes[i]; s.holds(p) {
				from = min(from, max(0, len(components(s.path))-1))
			}
		}
		if what := protectionOf(names, from); what != nil && !t.lifted(p) {
			return t.refuseProtected(what.why, p)
		}
	}
	return nil
}

// protectsFromLink decides whether a link may be put at p, which may be written:
// not where protected paths lie below. "~/.config" leads a shell to its files.
func (t *table) protectsFromLink(p string) *refusal {
	for _, p := range t.spellings(p) {
		if holds(components(p)) && !t.lifted(p) {
			return t.refuseProtected("a link in its place would lead to other files than the protected ones below it", p)
		}
	}
	return nil
}

// lifted applies the patterns that lift protection.
func (t *table) lifted(p string) bool {
	for i := range t.scopes {
		if s := &t.scopes[i]; s.holds(p) && t.allow.find(relative(p, s.base()), true) != nil {
			return true
		}
	}
	return false
}

// refuseProtected asks for the pattern that lifts protection from p alone.
func (t *table) refuseProtected(why, p string) *refusal {
	var base string
	for i := range t.scopes {
		if s := &t.scopes[i]; s.holds(p) && len(s.base()) > len(base) {
			base = s.base()
		}
	}
	ask := ""
	if rel := relative(p, base); len(rel) > 0 {
		ask = "--allow-protected " + singleQuote(quotePattern(rel))
	}
	return &refusal{protected, "it is protected: " + why, ask}
}

// filter returns what decides on the names of a directory that may be listed,
// or nil where none of them can be refused.
func (t *table) filter(dir string) func(name string, isDir bool) bool {
	near := false
	for _, c := range t.closed {
		near = near || nearby(dir, c)
	}
	if len(t.deny) == 0 && !near {
		return nil
	}
	return func(name string, isDir bool) bool {
		_, ref := t.read(join(dir, name), isDir)
		return ref == nil
	}
}

// nearby reports whether the folded path holds dir or something in it.
func nearby(dir string, folded []string) bool {
	names := components(dir)
	for i := range min(len(names), len(folded)) {
		if !sameFolded(names[i], folded[i]) {
			return false
		}
	}
	return true
}

// startsWith reports whether p is the folded path or below it.
func startsWith(p string, folded []string) bool {
	rest := p
	for _, f := range folded {
		rest = strings.TrimPrefix(rest, "/")
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if !sameFolded(name, f) {
			return false
		}
	}
	return true
}

// relative splits p, which is base or below it.
func relative(p, base string) []string {
	return components(strings.TrimPrefix(p, strings.TrimSuffix(base, "/")))
}

func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}

// quoteArg quotes s for a shell where that is needed.
func quoteArg(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:+=@%,"
	for _, r := range s {
		if !strings.ContainsRune(plain, r) {
			return singleQuote(s)
		}
	}
	return s
}

func singleQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

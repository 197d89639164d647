//go:build linux || darwin

package jail

import (
	"os"
	"path"
	"slices"
	"strings"
)

// A scope is a granted directory or file under one of its names.
type scope struct {
	path   string
	single bool // one file
}

// base is the directory that patterns are relative to.
func (s *scope) base() string {
	if s.single {
		return path.Dir(s.path)
	}
	return s.path
}

// holds reports whether p is in the scope.
func (s *scope) holds(p string) bool {
	return p == s.path || !s.single && within(p, s.path)
}

// A root is a granted directory or file, opened when the jail was made. Of a
// single file, its directory is held, and only its name there is granted.
type root struct {
	scope          // path is resolved
	names []string // other paths of it, through links: those it was granted by
	write bool
	open  bool     // from Options.Open
	dir   place    // nil for a directory of Options.Open that is not there yet
	file  *os.File // the same, to ask for its path; nil where it may not be read
}

// named adds other names of the root.
func (r *root) named(names []string) {
	for _, n := range names {
		if n != r.path && !slices.Contains(r.names, n) {
			r.names = append(r.names, n)
		}
	}
}

// relative is p below what the root holds open.
func (r *root) relative(p string) string {
	if p == r.path && !r.single {
		return "."
	}
	return strings.TrimPrefix(p[len(strings.TrimSuffix(r.base(), "/")):], "/")
}

func (r *root) release() {
	if r.dir != nil {
		r.dir.close()
	}
	if r.file != nil {
		r.file.Close()
	}
}

//go:build linux || darwin

package jail

import (
	"errors"
	"os"
	"path"
	"strings"
	"syscall"
)

// A route is how a path of the grant or of the options was found: all that has
// to be passed, as it was then.
type route struct {
	path    string   // resolved, with the missing names at its end
	missing []string // names that were not there
	dirs    []string // directories passed
	links   map[string]string
}

// wanted is the first name that was missing.
func (rt *route) wanted() string {
	p := rt.path
	for range len(rt.missing) - 1 {
		p = path.Dir(p)
	}
	return p
}

// trace resolves an absolute path of the person who starts the host, who may go
// anywhere: nothing is granted yet.
func trace(p string) (*route, error) {
	if p == "" || p[0] != '/' {
		return nil, errors.New("not an absolute path")
	}
	if strings.IndexByte(p, 0) >= 0 {
		return nil, syscall.EINVAL
	}
	rt := &route{path: "/", links: map[string]string{}}
	todo := strings.Split(p, "/")
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." {
			continue
		}
		rt.dirs = append(rt.dirs, rt.path)
		if name == ".." {
			rt.path = path.Dir(rt.path)
			continue
		}
		at := join(rt.path, name)
		fi, err := os.Lstat(at)
		switch {
		case errors.Is(err, syscall.ENOENT):
			return rt, rt.miss(append([]string{name}, todo...))
		case err != nil:
			return nil, bare(err)
		case fi.Mode().Type() == os.ModeSymlink:
			if links++; links > maxLinks {
				return nil, syscall.ELOOP
			}
			text, err := os.Readlink(at)
			if err != nil {
				return nil, bare(err)
			}
			rt.links[at] = text
			todo = append(strings.Split(text, "/"), todo...)
			if strings.HasPrefix(text, "/") {
				rt.path = "/"
			}
		default:
			rt.path = at
		}
	}
	return rt, nil
}

// miss ends the route with names that are not there.
func (rt *route) miss(names []string) error {
	for _, n := range names {
		switch n {
		case "", ".":
		case "..":
			return syscall.ENOENT
		default:
			rt.missing = append(rt.missing, n)
			rt.path = join(rt.path, n)
		}
	}
	return nil
}

// addRoute lets walks pass on the way to a root.
func (t *table) addRoute(rt *route) {
	for _, d := range rt.dirs {
		t.above[d] = true
	}
	for d := path.Dir(rt.path); ; d = path.Dir(d) {
		t.above[d] = true
		if d == "/" {
			break
		}
	}
	for at, text := range rt.links {
		t.ways[at] = text
	}
}

// addPrivate closes the directory p, which was found by rt, under the name that
// it was given and under the one that it has, and fixes all that leads to it.
func (t *table) addPrivate(p string, rt *route) {
	for _, name := range []string{path.Clean(p), rt.path} {
		names := foldAll(components(name))
		t.closed = append(t.closed, names)
		t.sites = append(t.sites, names)
	}
	for at := range rt.links {
		t.sites = append(t.sites, foldAll(components(at)))
	}
}

func foldAll(names []string) []string {
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = fold(n)
	}
	return folded
}

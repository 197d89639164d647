//go:build linux || darwin

package jail

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// A route is how a path of the grant or of the options was found: all that has
// to be passed, as it was then.
type route struct {
	path    string   // resolved, with the missing names at its end
	missing []string // names that were not there
	wanted  string   // the first of them, which may appear; else empty
	dirs    []string // directories passed
	links   map[string]string
	names   []string // the path as it was spelled at each link
}

// trace resolves an absolute path of the person who starts the host, who may go
// anywhere: nothing is granted yet. With an errno, the route is what could be
// resolved, and its path ends in the names that could not be looked at.
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
			rt.wanted = at
			return rt, rt.miss(append([]string{name}, todo...))
		case err != nil:
			rt.wanted = at
			rt.path = path.Join(at, path.Join(todo...))
			return rt, bare(err)
		case fi.Mode().Type() == os.ModeSymlink:
			links++
			text, err := os.Readlink(at)
			if err == nil && links > maxLinks {
				err = syscall.ELOOP
			}
			if err != nil {
				rt.path = path.Join(at, path.Join(todo...))
				return rt, bare(err)
			}
			rt.links[at] = text
			if !slices.Contains(todo, "..") {
				rt.names = append(rt.names, path.Join(at, path.Join(todo...)))
			}
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
func (rt *route) miss(names []string) (err error) {
	for _, n := range names {
		switch n {
		case "", ".":
		case "..":
			rt.path, err = path.Dir(rt.path), syscall.ENOENT
		default:
			rt.missing = append(rt.missing, n)
			rt.path = join(rt.path, n)
		}
	}
	return err
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

// addPrivate closes p, a directory or a file, which was found by rt, under the name that
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

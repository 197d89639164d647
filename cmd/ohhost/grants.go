package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/tool"
)

// A grantFlags holds the flags that say what a call may touch.
type grantFlags struct {
	set     *pflag.FlagSet // nil: which flags were given does not matter
	dir     string
	grants  []string
	deny    []string
	allow   []string
	session string
}

func (g *grantFlags) add(f *pflag.FlagSet) {
	g.addDir(f, "the workspace `DIR`: granted read-write, relative paths of --grant start there (default: the current directory)")
	f.StringArrayVar(&g.grants, "grant", nil, "also grant `ro:PATH` or rw:PATH, a directory or a file; ro:. makes the workspace read-only")
	f.StringArrayVar(&g.deny, "deny", nil, "close what matches `GLOB` (gitignore syntax, relative to each granted directory), whatever is granted")
	f.StringArrayVar(&g.allow, "allow-protected", nil, "let protected files that match `GLOB` be written (.git/hooks, .ssh, …)")
	f.StringVar(&g.session, "session", "", "`NAME` of the session that keeps undo history (default: one for each workspace)")
}

func (g *grantFlags) addDir(f *pflag.FlagSet, usage string) {
	g.set = f
	f.StringVarP(&g.dir, "directory", "C", "", usage)
}

// given reports whether a flag was given, be it as the empty text: what an unset
// variable of a shell leaves must not mean the default.
func (g *grantFlags) given(name string) bool { return g.set != nil && g.set.Changed(name) }

// workspace returns the workspace, which exists. Without -C it is spelled as
// $PWD has it.
func (g *grantFlags) workspace() (spelling, error) {
	const hint = "-C takes a directory that exists"
	if g.dir == "" && g.given("directory") {
		return spelling{}, usagef(hint, "-C: the directory has no name")
	}
	base, err := "", error(nil)
	if !filepath.IsAbs(g.dir) {
		if base, err = os.Getwd(); err != nil {
			return spelling{}, &usageError{err: err, hint: hint}
		}
	}
	s, err := spell(base, g.dir)
	if err != nil {
		return spelling{}, &usageError{err: err, hint: hint}
	}
	switch info, err := os.Stat(s.real); {
	case err != nil:
		return spelling{}, &usageError{err: err, hint: hint}
	case !info.IsDir():
		return spelling{}, usagef(hint, "%s: not a directory", s.path)
	}
	return s, nil
}

// A granted is what one --grant gives.
type granted struct {
	spelling
	write bool
}

// grant returns the grant that the flags describe: the workspace read-write,
// then what --grant adds. The last one counts where a path is named twice, the
// workspace included, and under all names that it was given. Relative paths are
// relative to the workspace, as for git -C.
func (g *grantFlags) grant() (*tool.Grant, error) {
	workspace, err := g.workspace()
	if err != nil {
		return nil, err
	}
	if g.session != "" || g.given("session") {
		if err := tool.CheckSessionName(g.session); err != nil {
			return nil, &usageError{err: err}
		}
	}
	all := []granted{{workspace, true}}
	for _, flag := range g.grants {
		mode, path, ok := strings.Cut(flag, ":")
		if !ok || mode != "ro" && mode != "rw" || path == "" {
			return nil, usagef("write --grant ro:PATH to let it be read, --grant rw:PATH to let it be changed", "--grant %s: want ro:PATH or rw:PATH", flag)
		}
		s, err := spell(workspace.path, path)
		if err != nil {
			return nil, usagef("grant a directory, a file, or a file that is to be made in a directory that exists", "--grant %s: %w", flag, err)
		}
		all = slices.DeleteFunc(all, func(a granted) bool { return a.path == s.path })
		for i := range all {
			if all[i].real == s.real {
				all[i].write = mode == "rw"
			}
		}
		all = append(all, granted{s, mode == "rw"})
	}
	for _, p := range g.deny {
		if err := checkPattern("--deny", p, all); err != nil {
			return nil, err
		}
	}
	for _, p := range g.allow {
		if err := checkPattern("--allow-protected", p, all); err != nil {
			return nil, err
		}
	}
	grant := &tool.Grant{Workspace: workspace.real, Deny: g.deny, AllowProtected: g.allow, Session: g.session}
	for _, a := range all {
		grant.Paths = append(grant.Paths, tool.PathGrant{Path: a.path, Write: a.write})
	}
	// What the jail says of a grant or a pattern is about the command line; it is
	// asked before anything runs.
	j, err := jail.New(grant, nil)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return grant, j.Close()
}

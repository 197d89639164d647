package main

import (
	"errors"
	"io/fs"
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
	dir     string
	grants  []string
	deny    []string
	allow   []string
	session string
}

func (g *grantFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&g.dir, "directory", "C", "", "the workspace `DIR`: granted read-write, relative paths refer to it (default: the current directory)")
	f.StringArrayVar(&g.grants, "grant", nil, "also grant `ro:PATH` or rw:PATH, a directory or a file; ro:. makes the workspace read-only")
	f.StringArrayVar(&g.deny, "deny", nil, "close what matches `GLOB` (gitignore syntax), whatever is granted")
	f.StringArrayVar(&g.allow, "allow-protected", nil, "let protected files that match `GLOB` be written (.git/hooks, .ssh, …)")
	f.StringVar(&g.session, "session", "", "`NAME` of the session that keeps undo history (default: one for each workspace)")
}

// workspace returns the resolved path of the workspace.
func (g *grantFlags) workspace() (string, error) {
	dir, err := filepath.Abs(g.dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", &usageError{err: err, hint: "-C takes a directory that exists"}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", usagef("-C takes a directory", "%s: not a directory", dir)
	}
	return dir, nil
}

// grant returns the grant that the flags describe: the workspace read-write,
// then what --grant adds. The last one counts where a path is named twice, the
// workspace included. Relative paths are relative to the workspace, as for git
// -C; links are resolved now.
func (g *grantFlags) grant() (*tool.Grant, error) {
	workspace, err := g.workspace()
	if err != nil {
		return nil, err
	}
	if g.session != "" {
		if err := tool.CheckSessionName(g.session); err != nil {
			return nil, &usageError{err: err}
		}
	}
	grant := &tool.Grant{
		Workspace:      workspace,
		Paths:          []tool.PathGrant{{Path: workspace, Write: true}},
		Deny:           g.deny,
		AllowProtected: g.allow,
		Session:        g.session,
	}
	for _, flag := range g.grants {
		mode, path, ok := strings.Cut(flag, ":")
		if !ok || mode != "ro" && mode != "rw" || path == "" {
			return nil, usagef("write --grant ro:PATH to let it be read, --grant rw:PATH to let it be changed", "--grant %s: want ro:PATH or rw:PATH", flag)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(workspace, path)
		}
		if path, err = resolve(path); err != nil {
			return nil, usagef("grant a directory, a file, or a file that is to be made in a directory that exists", "--grant %s: %w", flag, err)
		}
		grant.Paths = slices.DeleteFunc(grant.Paths, func(p tool.PathGrant) bool { return p.Path == path })
		grant.Paths = append(grant.Paths, tool.PathGrant{Path: path, Write: mode == "rw"})
	}
	// What the jail says of a grant or a pattern is about the command line; it is
	// asked before anything runs.
	j, err := jail.New(grant, nil)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return grant, j.Close()
}

// resolve returns a path without links; its last name may be missing.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, dangling := os.Lstat(path); dangling == nil {
		return "", err
	}
	dir, missing := filepath.EvalSymlinks(filepath.Dir(path))
	if missing != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

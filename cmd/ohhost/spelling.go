package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A spelling is a path that a person wrote. Both forms are absolute and clean;
// path still has the links in it, so that a model that was told the path as it
// was written can use it.
type spelling struct{ path, real string }

// spell finds what a path means, from base when it is relative. Its last name
// may be missing.
func spell(base, path string) (spelling, error) {
	if !filepath.IsAbs(path) {
		path = base + string(filepath.Separator) + path
	}
	real, err := resolve(path)
	if err != nil {
		return spelling{}, err
	}
	// Behind a link, ".." is not the directory that cleaning makes of it.
	clean := filepath.Clean(path)
	if same, err := resolve(clean); err != nil || same != real {
		clean = real
	}
	return spelling{clean, real}, nil
}

// resolve returns a path without links; its last name may be missing.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	path = strings.TrimRight(path, string(filepath.Separator))
	if _, dangling := os.Lstat(path); dangling == nil {
		return "", err
	}
	dir, name := filepath.Split(path)
	if name == "" || name == "." || name == ".." {
		return "", err
	}
	dir, missing := filepath.EvalSymlinks(dir)
	if missing != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

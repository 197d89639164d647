//go:build !unix

package codecache

import (
	"io/fs"
	"os"
	"path/filepath"
)

// walk resolves a path and returns it, and the directories on its way, from the top
// to what it names. With create, missing ones are made.
func walk(path string, create bool) (resolved string, way []fs.FileInfo, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if create {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return "", nil, err
		}
	}
	if resolved, err = filepath.EvalSymlinks(path); err != nil {
		return "", nil, err
	}
	for at := resolved; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return "", nil, err
		}
		way = append([]fs.FileInfo{info}, way...)
		if at == filepath.Dir(at) {
			return resolved, way, nil
		}
	}
}

// checkOwn and hide have nothing to do here: permission bits do not exist.
func checkOwn(string, fs.FileInfo) error { return nil }

func (d *dir) hide() error { return nil }

// checkFile returns an unfitError for what is not a regular file.
func checkFile(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return unfitError("it is not a regular file")
	}
	return nil
}

// open opens a file of the directory to read it. A link inside the directory is
// followed: its target has the MAC of another name.
func (d *dir) open(name string) (*os.File, error) { return d.root.Open(name) }

// tryLock reports that it has no lock: directories cannot be locked here.
func tryLock(*os.File) bool { return false }

// userName: the directory for temporary files is the user's own here.
func userName() string { return "own" }

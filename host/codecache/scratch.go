package codecache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// scratchPrefix begins the name of the directory in which all processes of a user
// keep theirs; the user follows.
const scratchPrefix = "ohhost-scratch-"

// ScratchGlob matches (gitignore syntax) the directories in which processes keep
// their Scratch, and it matches wherever $TMPDIR may have led them. What lies there
// is run as native code: no plugin may be granted it.
const ScratchGlob = scratchPrefix + "*"

// newSuffix marks a scratch directory that is not locked yet.
const newSuffix = ".new"

// newFor is how long such a directory stays: its maker has been killed.
const newFor = time.Hour

// A Scratch is a private directory of this process, for code that takes a path. It
// goes with Close, or, if the process was killed, with the next NewScratch. Its
// methods are safe for concurrent use on different files.
type Scratch struct {
	path   string
	parent *dir
	root   *os.Root
	lock   *os.File // as long as it is held, others leave the directory alone
}

// NewScratch makes an empty directory, 0700, of an unguessable name, and removes
// those that killed processes of this user left. It lies in $XDG_RUNTIME_DIR where
// that is private and in memory (XDG Base Directory Specification), else in
// os.TempDir(). The error names the directory that another user could have prepared
// or can change, and the cure.
func NewScratch() (*Scratch, error) {
	base, err := scratchBase()
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	s, err := newScratch(filepath.Join(base, scratchPrefix+userName()))
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	return s, nil
}

func newScratch(parent string) (_ *Scratch, err error) {
	d, err := openDir(parent)
	if err != nil {
		return nil, err
	}
	s := &Scratch{parent: d}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := d.hide(); err != nil {
		return nil, err
	}
	d.removeLeftovers()

	// Others must not take it for a leftover before it is locked, hence the suffix.
	name := strings.ToLower(rand.Text())
	if err := d.root.Mkdir(name+newSuffix, 0o700); err != nil {
		return nil, err
	}
	s.path = filepath.Join(d.path, name+newSuffix)
	lock, err := d.root.Open(name + newSuffix)
	if err != nil {
		return nil, err
	}
	// Where directories cannot be locked (Windows, some network file systems)
	// nobody gets the lock, so nobody removes the directory.
	if tryLock(lock) {
		s.lock = lock
	} else if err := lock.Close(); err != nil {
		return nil, err
	}
	if err := d.root.Rename(name+newSuffix, name); err != nil {
		return nil, err
	}
	s.path = filepath.Join(d.path, name)
	if s.root, err = d.root.OpenRoot(name); err != nil {
		return nil, err
	}
	info, err := s.root.Stat(".")
	if err == nil {
		err = checkOwn(s.path, info)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// scratchBase chooses where scratch directories lie.
func scratchBase() (string, error) {
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		resolved, way, err := walk(run, false)
		if err == nil && privateInMemory(resolved, way[len(way)-1]) {
			return resolved, nil
		}
	}
	resolved, _, err := walk(os.TempDir(), false)
	return resolved, err
}

// removeLeftovers removes the scratch directories of processes that are gone: those
// whose lock can be had. It is a service to the disk, so errors do not matter.
func (d *dir) removeLeftovers() {
	_ = d.removeOld(func(name string) (time.Duration, bool) { return newFor, strings.HasSuffix(name, newSuffix) })
	names, _ := d.names()
	for _, name := range names {
		if !strings.HasSuffix(name, newSuffix) {
			d.removeLeftover(name)
		}
	}
}

func (d *dir) removeLeftover(name string) {
	seen, err := d.root.Lstat(name)
	if err != nil || !seen.IsDir() || checkOwn(name, seen) != nil {
		return
	}
	f, err := d.root.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && os.SameFile(seen, info) && tryLock(f) {
		_ = d.root.RemoveAll(name) // does not follow links
	}
}

// Path is the directory's absolute path, without links.
func (s *Scratch) Path() string { return s.path }

// Write writes a new file, 0600, of a path relative to the directory, with slashes,
// and makes the directories on its way. A file that exists is fs.ErrExist.
func (s *Scratch) Write(rel string, b []byte) error {
	if !fs.ValidPath(rel) || rel == "." {
		return fmt.Errorf("scratch file %q: it must be a relative path without dots and doubled slashes", rel)
	}
	if err := s.root.MkdirAll(path.Dir(rel), 0o700); err != nil {
		return fmt.Errorf("scratch file: %w", err)
	}
	if err := writeNew(s.root, rel, b, false); err != nil {
		return fmt.Errorf("scratch file: %w", err)
	}
	return nil
}

// A Source gives the bytes of a file, and a function to be called when they are not
// needed any more.
type Source func() (b []byte, free func(), err error)

// Feed makes a file, as Write does, whose bytes may come later: on Linux it is a
// FIFO, and source runs while the reader has not come that far. Where source fails,
// who reads gets one byte, 0. The caller calls the function returned when nobody
// reads any more; it returns the error of source, and frees everything also if
// nobody ever read. Only one reader gets the bytes, once.
func (s *Scratch) Feed(rel string, source Source) (end func() error, err error) {
	if !fs.ValidPath(rel) || rel == "." {
		return nil, fmt.Errorf("scratch file %q: it must be a relative path without dots and doubled slashes", rel)
	}
	if err := s.root.MkdirAll(path.Dir(rel), 0o700); err != nil {
		return nil, fmt.Errorf("scratch file: %w", err)
	}
	return s.feed(rel, source)
}

// Files returns the regular files by their relative paths, with slashes. Links are
// not followed.
func (s *Scratch) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := s.walk(".", func(rel string, e fs.DirEntry) (err error) {
		if e.Type().IsRegular() {
			files[rel], err = s.root.ReadFile(rel)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scratch files: %w", err)
	}
	return files, nil
}

// Empty removes all files. Directories stay: an engine that has made its own will
// write to it again.
func (s *Scratch) Empty() error {
	err := s.walk(".", func(rel string, _ fs.DirEntry) error { return s.root.Remove(rel) })
	if err != nil {
		return fmt.Errorf("empty the scratch directory: %w", err)
	}
	return nil
}

// walk calls do for all that lies below the directory at, but for directories.
func (s *Scratch) walk(at string, do func(rel string, e fs.DirEntry) error) error {
	entries, err := fs.ReadDir(s.root.FS(), at)
	for _, e := range entries {
		rel := path.Join(at, e.Name())
		if e.IsDir() {
			err = errors.Join(err, s.walk(rel, do))
		} else {
			err = errors.Join(err, do(rel, e))
		}
	}
	return err
}

// Close removes the directory. A second Close does nothing.
func (s *Scratch) Close() error {
	if s.parent == nil {
		return nil
	}
	var err error
	if s.root != nil {
		err = s.root.Close()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	if s.path != "" {
		err = errors.Join(err, s.parent.root.RemoveAll(filepath.Base(s.path)))
	}
	err = errors.Join(err, s.parent.close())
	s.parent = nil
	return err
}

package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"
)

// Limits of a session (architecture, "Instances"). A blob or an entry counts as
// at least minCharge bytes, which bounds their number too.
const (
	// MaxState is the size in bytes of all blobs together.
	MaxState = 16 << 20
	// MaxUndo is the size in bytes of all undo entries together.
	MaxUndo = 64 << 20
	// MaxEntries is how many undo entries a key keeps.
	MaxEntries = 10

	minCharge = 4 << 10
)

// Options of Open. Nil and the zero value are good.
type Options struct {
	// NoSync leaves out fsync: what was written survives a killed process, not a
	// power cut. It exists for benchmarks only.
	NoSync bool
	// Logger is told of damaged records that were dropped. Nil is silent.
	Logger hclog.Logger
}

// A Session is an open session directory. It is safe for concurrent use, by
// goroutines and by processes.
type Session struct {
	dir     string
	root    *os.Root // dir
	log     hclog.Logger
	lock    *lock
	state   *box
	undo    *box
	journal *box

	// Quotas; tests make them small.
	maxState, maxUndo, maxOutputs int64

	saving sync.Mutex // of outputs

	// What the holder of the lock remembers of undo, valid while the lock file
	// still holds gen.
	slots []slot
	known bool
	gen   uint64

	// Of the journal: 1 + the number of records ever written, as it was when there
	// was none left over; 0 is unknown.
	settled atomic.Uint64
}

// Open opens the session in dir, an absolute path, and makes it if it is
// missing. It refuses a directory that is a symbolic link, belongs to another
// user or can be written by others, and closes its own that others can read
// (windows has no such bits; there the user's profile is what protects it).
func Open(dir string, opts *Options) (*Session, error) {
	if opts == nil {
		opts = &Options{}
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("session directory %s: want an absolute path", dir)
	}
	s := &Session{dir: dir, log: opts.Logger, maxState: MaxState, maxUndo: MaxUndo, maxOutputs: MaxOutputBytes}
	if s.log == nil {
		s.log = hclog.NewNullLogger()
	}
	var err error
	if s.root, err = openPrivate(dir); err != nil {
		return nil, err
	}
	if err := s.open(s.root, opts.NoSync); err != nil {
		return nil, errors.Join(fmt.Errorf("session directory %s: %w", dir, err), s.Close())
	}
	return s, nil
}

func (s *Session) open(root *os.Root, noSync bool) (err error) {
	if s.lock, err = openLock(root, "lock"); err != nil {
		return err
	}
	if s.state, err = openBox(root, "state", noSync); err != nil {
		return err
	}
	if s.undo, err = openBox(root, "undo", noSync); err != nil {
		return err
	}
	s.journal, err = openBox(root, "journal", noSync)
	return err
}

// openPrivate opens dir as a root after it made sure that only we can use it.
// What was checked is what was opened, even when dir is replaced meanwhile.
func openPrivate(dir string) (*os.Root, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("session directory: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("session directory: %w", err)
	}
	named, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("session directory: %w", err)
	}
	switch {
	case named.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("session directory %s is a symbolic link: remove it or name another directory", dir)
	case !named.IsDir():
		return nil, fmt.Errorf("session directory %s is not a directory: remove it or name another one", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("session directory: %w", err)
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("session directory %s was replaced while it was opened: try again", dir)
	}
	if err == nil {
		err = makePrivate(dir, root, opened)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// Close frees the session's handles. Nothing may be in use.
func (s *Session) Close() error {
	errs := []error{s.root.Close()}
	for _, b := range []*box{s.state, s.undo, s.journal} {
		if b != nil {
			errs = append(errs, b.close())
		}
	}
	if s.lock != nil {
		errs = append(errs, s.lock.close())
	}
	return errors.Join(errs...)
}

// Dir returns the session's directory.
func (s *Session) Dir() string { return s.dir }

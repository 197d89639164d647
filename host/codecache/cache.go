package codecache

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
)

// maxEntry is how many bytes an entry may have on disk: far more than the code of
// any plugin, and what one Load may allocate.
const maxEntry = 512 << 20

// maxName is how long a name may be. With what is added to it, it fits the 255
// bytes of a file name.
const maxName = 160

const (
	entrySuffix = ".entry"
	tempSuffix  = ".tmp"
)

// day is how far an entry's time may lag behind its last use.
const day = 24 * time.Hour

// Options configure a Cache. The zero value works.
type Options struct {
	// Logger is told, at level debug, of housekeeping that failed; nil logs
	// nothing.
	Logger hclog.Logger
}

// A Cache is an open directory of authenticated entries. It is safe for concurrent
// use, by several processes too.
type Cache struct {
	log hclog.Logger
	dir *dir
	key []byte
}

// A PoisonedError says that there is an entry and that it must not be used. The
// next Store of its name replaces it.
type PoisonedError struct {
	Name string // of the entry
	Why  string // as in "its MAC is wrong"
}

func (e *PoisonedError) Error() string {
	return fmt.Sprintf("cache entry %s is not used: %s", e.Name, e.Why)
}

// Open opens the cache in dir with the key in keyFile; both are made where they are
// missing. It refuses, with an error that names the path and the cure, a directory
// or key that another user could have prepared or can change, and a key inside dir.
// The caller closes the cache.
func Open(dir, keyFile string, opts *Options) (*Cache, error) {
	c := &Cache{log: hclog.NewNullLogger()}
	if opts != nil && opts.Logger != nil {
		c.log = opts.Logger
	}
	var err error
	if c.dir, err = openDir(dir); err != nil {
		return nil, fmt.Errorf("code cache: %w", err)
	}
	if c.key, err = openKey(keyFile, c.dir); err != nil {
		err = fmt.Errorf("key of the code cache: %w", err)
	} else if err = c.dir.hide(); err != nil {
		err = fmt.Errorf("code cache: %w", err)
	}
	if err != nil {
		c.dir.close()
		return nil, err
	}
	return c, nil
}

// Close gives the directory back.
func (c *Cache) Close() error { return c.dir.close() }

// An Entry is what was stored under a name, read once and verified as a whole.
type Entry struct {
	Parts [][]byte // slices of one buffer
	free  func()
}

// Close frees the parts, which must not be used any more.
func (e *Entry) Close() { e.free() }

// Load returns the entry of a name. The error is fs.ErrNotExist where there is none,
// and a *PoisonedError where there is one that is damaged, not ours or not a plain
// private file.
func (c *Cache) Load(name string) (*Entry, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	data, info, err := c.dir.read(name+entrySuffix, maxEntry)
	var parts [][]byte
	if err == nil {
		if parts, err = open(c.key, name, data.b); err != nil {
			data.free()
		}
	}
	if unfit, ok := errors.AsType[unfitError](err); ok {
		return nil, &PoisonedError{Name: name, Why: string(unfit)}
	}
	if err != nil {
		return nil, fmt.Errorf("load cache entry %s: %w", name, err)
	}
	if now := time.Now(); now.Sub(info.ModTime()).Abs() > day {
		if err := c.dir.root.Chtimes(name+entrySuffix, now, now); err != nil {
			c.log.Debug("the use of a cache entry cannot be noted", "error", err)
		}
	}
	return &Entry{Parts: parts, free: data.free}, nil
}

// Store makes or replaces the entry of a name, all or nothing for those who load
// it. It is not synced: an entry that a crash has torn fails its MAC. Once a day
// it also removes what was not used for 30 days.
func (c *Cache) Store(name string, parts [][]byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	data, err := seal(c.key, name, parts)
	if err == nil {
		err = c.put(name+entrySuffix, data)
	}
	if err != nil {
		return fmt.Errorf("store cache entry %s: %w", name, err)
	}
	c.pruneDaily()
	return nil
}

func (c *Cache) put(file string, data []byte) error {
	temp, err := c.dir.writeTemp(data, false)
	if err != nil {
		return err
	}
	if err = c.dir.root.Rename(temp, file); err != nil {
		// A directory in the entry's place is not replaced by renaming.
		if err = c.dir.root.RemoveAll(file); err == nil {
			err = c.dir.root.Rename(temp, file)
		}
	}
	if err != nil {
		_ = c.dir.root.Remove(temp)
	}
	return err
}

// checkName allows what is a file name of its own on every system.
func checkName(name string) error {
	ok := len(name) >= 1 && len(name) <= maxName && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	}) < 0
	if !ok {
		return fmt.Errorf("name of a cache entry %.*q: it must be 1 to %d of a-z, 0-9, dot, underscore and dash", maxName, name, maxName)
	}
	return nil
}

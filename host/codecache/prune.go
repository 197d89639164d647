package codecache

import (
	"errors"
	"io/fs"
	"strings"
	"time"
)

// unusedFor is how long an entry stays that nobody loads.
const unusedFor = 30 * day

// tempFor is how long a temporary file stays: its writer has been killed.
const tempFor = time.Hour

// stampFile tells by its time when the last process began to prune.
const stampFile = "pruned"

// Prune removes entries that were not used for as long as olderThan, give or take a
// day, unless keep returns true for the name; nil keeps none. It also removes
// temporary files that killed processes left, and leaves alone what the cache did
// not make. It does what it can and returns the errors.
func (c *Cache) Prune(keep func(name string) bool, olderThan time.Duration) error {
	return c.dir.removeOld(func(file string) (age time.Duration, old bool) {
		if name, ok := strings.CutSuffix(file, entrySuffix); ok {
			return olderThan, keep == nil || !keep(name)
		}
		return tempFor, strings.HasSuffix(file, tempSuffix)
	})
}

// pruneDaily prunes unless a process has begun to within a day.
func (c *Cache) pruneDaily() {
	stamp, err := c.dir.root.Lstat(stampFile)
	switch {
	case err == nil && time.Since(stamp.ModTime()).Abs() < day:
		return
	case err == nil:
		err = c.dir.root.RemoveAll(stampFile)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil {
		err = writeNew(c.dir.root, stampFile, nil, false)
	}
	if errors.Is(err, fs.ErrExist) {
		return // another process has just begun
	}
	if err == nil {
		err = c.Prune(nil, unusedFor)
	}
	if err != nil {
		c.log.Debug("the cache of compiled plugins cannot be pruned", "error", err)
	}
}

// removeOld removes each entry of the directory that is older than what rule says
// for its name, if it says so at all. Links are removed, not followed.
func (d *dir) removeOld(rule func(name string) (age time.Duration, applies bool)) error {
	names, err := d.names()
	for _, name := range names {
		age, applies := rule(name)
		if !applies {
			continue
		}
		info, failed := d.root.Lstat(name)
		if failed == nil && time.Since(info.ModTime()) > age {
			failed = d.root.RemoveAll(name)
		}
		if failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// names lists the directory, in no order.
func (d *dir) names() ([]string, error) {
	// Through a handle of its own: two listings must not share a position.
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

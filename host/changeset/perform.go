package changeset

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/ohhost/ohhost/host/jail"
)

// prepareUndo writes the entry that comes onto the history, or marks the one
// that comes off it.
func (t *transaction) prepareUndo(w *work) (err error) {
	if w.pop != nil {
		w.pending, err = t.tx.PreparePop(w.pop)
		return err
	}
	// The last edit of a killed process counts before this one does.
	if err := t.tx.Settle(w.Undo, w.state); err != nil {
		return err
	}
	w.pending, err = t.tx.Prepare(w.entry)
	return err
}

// perform makes the change visible.
func (t *transaction) perform(ctx context.Context, w *work) error {
	if w.Op != Mkdir {
		if err := w.unchanged(); err != nil {
			return err
		}
	}
	dir, name := w.target.Dir, w.target.Name
	switch {
	case w.Op == Mkdir:
		return w.osChanged("mkdir", w.Path, dir.Mkdir(name, 0o777))
	case w.Op == Move && sameDir(w.target, w.to.Dir):
		return osNil("move", w.To, dir.RenameNoReplace(name, w.to.Name))
	case w.Op == Move:
		return osNil("move", w.To, moveTo(dir, name, w.to))
	case w.remove:
		return osNil("remove", w.Path, dir.Remove(name))
	case w.inPlace != nil:
		return t.overwrite(w)
	case w.info == nil:
		return w.appear()
	}
	err := dir.Rename(w.temp, name)
	if err == nil {
		w.temp = ""
		return nil
	}
	// A file that is a mount point cannot be replaced (FE-24).
	if t.session == nil || !isOne(err, syscall.EBUSY) {
		return osError("write", w.Path, err)
	}
	w.discard()
	if err := w.openInPlace(err); err != nil {
		return err
	}
	if err := t.journal(ctx); err != nil {
		return err
	}
	return t.overwrite(w)
}

// appear gives a new file its name, unless one has appeared there.
func (w *work) appear() error {
	dir, name := w.target.Dir, w.target.Name
	err := dir.RenameNoReplace(w.temp, name)
	if err == nil {
		w.temp = ""
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return osError("write", w.Path, err)
}

// moveTo renames into another directory. The name was free under the lock.
func moveTo(dir *jail.Dir, name string, to *jail.Target) error {
	if _, err := to.Dir.Lstat(to.Name); err == nil {
		return syscall.EEXIST
	}
	return dir.RenameTo(name, to.Dir, to.Name)
}

func osNil(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return osError(op, path, err)
}

// osChanged is osNil, but what has appeared since the change was planned is
// ErrChanged where the caller expected nothing.
func (w *work) osChanged(op, path string, err error) error {
	if errors.Is(err, fs.ErrExist) && w.Expect != "" {
		return ErrChanged
	}
	return osNil(op, path, err)
}

// syncDir is (*jail.Dir).Sync; tests make it fail.
var syncDir = (*jail.Dir).Sync

// syncDirs makes the changes durable. A file system that cannot sync a directory
// does not need it. The files are changed already, so an error is told beside
// the outcome, not in its place.
func (t *transaction) syncDirs() {
	if t.opts.NoSync {
		return
	}
	for _, w := range t.works {
		for _, tg := range w.targets() {
			if err := syncDir(tg.Dir); err != nil && !isOne(err, syscall.EINVAL, syscall.ENOTSUP) {
				w.out.Unsynced = osError("sync the directory of", w.Path, err)
			}
		}
	}
}

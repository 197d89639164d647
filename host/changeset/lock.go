package changeset

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ohhost/ohhost/host/jail"
)

// moveTries is how often Apply begins anew because a path led elsewhere between
// the moment it was resolved and the moment its directory was locked.
const moveTries = 10

// errMoved means that it did.
var errMoved = errors.New("the path leads elsewhere now")

// resolve decides where the change writes.
func (w *work) resolve(j *jail.Jail) (err error) {
	path, follow := w.Path, w.Op == Put || w.Op == Edit || w.Op == Undo
	if w.Op == Mkdir && len(path) > 1 {
		// To the kernel too, "d/" is a good name for a new directory.
		path = strings.TrimRight(path, "/")
	}
	if w.target, err = j.Target(path, follow); err != nil {
		return osError(string(w.Op), w.Path, err)
	}
	if w.Op == Move {
		if w.to, err = j.Target(w.To, false); err != nil {
			return osError(string(w.Op), w.To, err)
		}
	}
	return nil
}

// verify resolves again, under the lock, and returns errMoved unless the path
// leads to the directory that is locked: there, and nowhere else, is the staged
// file, or the very file that was read.
func (w *work) verify(j *jail.Jail) error {
	again := &work{Change: w.Change}
	defer again.close()
	if err := again.resolve(j); err != nil {
		return err
	}
	there := again.target
	if there.Name != w.target.Name || there.Path != w.target.Path {
		return errMoved
	}
	if w.to != nil && (again.to.Name != w.to.Name || again.to.Path != w.to.Path) {
		return errMoved
	}
	switch {
	case w.temp != "":
		if info, err := there.Dir.Lstat(w.temp); err != nil || !sameFile(info, w.staged) {
			return errMoved
		}
	case w.info != nil:
		if info, err := there.Dir.Lstat(there.Name); err != nil || !sameFile(info, w.info) {
			return errMoved
		}
	}
	return nil
}

// lock locks the directories of all changes, each once, in an order that is the
// same in every process.
func (t *transaction) lock(ctx context.Context) error {
	var dirs []*jail.Dir
	for _, w := range t.works {
		if err := w.resolve(t.jail); err != nil {
			return w.fail(err)
		}
		dirs = append(dirs, w.target.Dir)
		if w.to != nil && !sameDir(w.target, w.to.Dir) {
			dirs = append(dirs, w.to.Dir)
		}
	}
	unlock, err := lockAll(ctx, dirs)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.works[0].fail(osError("lock the directory of", t.works[0].Path, err))
	}
	t.unlock = unlock
	return nil
}

// sameDir says whether d is the directory of the target: of the same path, or
// another way to it (a bind mount), where the target's file is the same file.
func sameDir(t *jail.Target, d *jail.Dir) bool {
	if t.Dir.Path() == d.Path() {
		return true
	}
	a, err := t.Dir.Lstat(t.Name)
	if err != nil {
		return false
	}
	b, err := d.Lstat(t.Name)
	return err == nil && sameFile(a, b)
}

// lockAll locks the directories in the order of their paths.
func lockAll(ctx context.Context, dirs []*jail.Dir) ([]func(), error) {
	slices.SortFunc(dirs, func(a, b *jail.Dir) int { return cmp.Compare(a.Path(), b.Path()) })
	dirs = slices.CompactFunc(dirs, func(a, b *jail.Dir) bool { return a.Path() == b.Path() })
	var unlock []func()
	for _, d := range dirs {
		u, err := d.Lock(ctx)
		if err != nil {
			unlockEach(unlock)
			return nil, err
		}
		unlock = append(unlock, u)
	}
	return unlock, nil
}

func unlockEach(unlock []func()) {
	for _, u := range slices.Backward(unlock) {
		u()
	}
}

package changeset

import (
	"context"
	"os"
	"slices"

	"github.com/ohhost/ohhost/host/jail"
)

// lockTries is how often a path may lead elsewhere between the moment it is
// resolved and the moment its directory is locked.
const lockTries = 10

// lock resolves the paths of all changes and locks the directories that hold
// them. What is locked is where the paths lead.
func (t *transaction) lock(ctx context.Context) error {
	for _, w := range t.works {
		if err := w.resolve(t.jail); err != nil {
			return w.fail(err)
		}
	}
	for range lockTries {
		if err := t.lockDirs(ctx); err != nil {
			return err
		}
		same := true
		for _, w := range t.works {
			ok, err := w.verify(t.jail)
			if err != nil {
				return w.fail(err)
			}
			same = same && ok
		}
		if same {
			return nil
		}
		t.unlockAll()
	}
	return t.works[0].fail(ErrChanged)
}

// resolve decides where the change writes.
func (w *work) resolve(j *jail.Jail) (err error) {
	if w.target, err = target(j, w.Op, w.Path); err != nil {
		return osError(string(w.Op), w.Path, err)
	}
	if w.Op == Move {
		if w.to, err = j.Target(w.To, false); err != nil {
			return osError(string(w.Op), w.To, err)
		}
	}
	return nil
}

func target(j *jail.Jail, op Op, path string) (*jail.Target, error) {
	if op == Mkdir {
		return j.TargetDir(path)
	}
	return j.Target(path, op == Put || op == Edit || op == Undo)
}

// verify resolves again, under the lock, and says whether the paths still lead
// to what is locked; if not, it takes what they lead to now.
func (w *work) verify(j *jail.Jail) (bool, error) {
	again := &work{Change: w.Change}
	if err := again.resolve(j); err != nil {
		again.close()
		return false, err
	}
	if sameTarget(w.target, again.target) && sameTarget(w.to, again.to) {
		again.close()
		return true, nil
	}
	w.target, again.target = again.target, w.target
	w.to, again.to = again.to, w.to
	again.close()
	return false, nil
}

func sameTarget(a, b *jail.Target) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && sameDir(a.Dir, b.Dir)
}

func sameDir(a, b *jail.Dir) bool {
	x, err := statDir(a)
	if err != nil {
		return false
	}
	y, err := statDir(b)
	return err == nil && os.SameFile(x, y)
}

// lockDirs locks the directories of all changes, each once, in an order that is
// the same in every process.
func (t *transaction) lockDirs(ctx context.Context) error {
	var dirs []*jail.Dir
	for _, w := range t.works {
		for _, tg := range w.targets() {
			if !slices.ContainsFunc(dirs, func(d *jail.Dir) bool { return sameDir(d, tg.Dir) }) {
				dirs = append(dirs, tg.Dir)
			}
		}
	}
	unlock, err := lockAll(ctx, dirs)
	switch {
	case ctx.Err() != nil:
		unlockEach(unlock)
		return ctx.Err()
	case err != nil:
		return t.works[0].fail(osError("lock the directory of", t.works[0].Path, err))
	}
	t.unlock = unlock
	return nil
}

func lockAll(ctx context.Context, dirs []*jail.Dir) ([]func(), error) {
	slices.SortFunc(dirs, compareDirs)
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

func (t *transaction) unlockAll() {
	unlockEach(t.unlock)
	t.unlock = nil
}

func unlockEach(unlock []func()) {
	for _, u := range slices.Backward(unlock) {
		u()
	}
}

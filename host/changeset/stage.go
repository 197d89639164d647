package changeset

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"syscall"
)

// A staged file's name is unguessable, so that nobody can be there first, and
// does not depend on the target's, which may be as long as names get.
const (
	tempPrefix = ".ohhost-"
	tempSuffix = ".tmp"
	tempBytes  = 16
)

func tempName() string {
	var b [tempBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return tempPrefix + hex.EncodeToString(b[:]) + tempSuffix
}

func isTemp(name string) bool {
	mid, ok := strings.CutPrefix(name, tempPrefix)
	if !ok {
		return false
	}
	mid, ok = strings.CutSuffix(mid, tempSuffix)
	b, err := hex.DecodeString(mid)
	return ok && err == nil && len(b) == tempBytes
}

// sweep removes what killed processes have staged in the directories of the set.
// All who stage there hold the directory's lock, and so do we: whatever is there
// is nobody's. A directory that the jail does not let us list (that of a file
// granted by itself) keeps it.
func (t *transaction) sweep() {
	for _, w := range t.works {
		for _, tg := range w.targets() {
			for _, n := range t.names(tg.Dir.Path()) {
				if isTemp(n) {
					_ = tg.Dir.Remove(n)
				}
			}
		}
	}
}

func (t *transaction) names(dir string) []string {
	f, err := t.jail.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(-1) // what can be had
	return all
}

// errLossy means that a replacement would lose owner, group, access list or
// mode.
var errLossy = errors.New("a replacement cannot keep the file's owner")

// stage writes the new content beside the target, ready to be renamed. Where
// that is not possible, it opens the target itself.
func (t *transaction) stage(w *work) error {
	if w.out.After == nil || w.Op == Move {
		return nil
	}
	err := t.stageTemp(w)
	if err == nil {
		return nil
	}
	w.discard()
	if w.info != nil && t.session != nil &&
		(errors.Is(err, errLossy) || isOne(err, syscall.EACCES, syscall.EPERM, syscall.EROFS)) {
		return w.openInPlace(err)
	}
	return osError("write", w.Path, err)
}

func (t *transaction) stageTemp(w *work) (err error) {
	// A new file gets the mode that the kernel gives it: umask and the
	// directory's default access list count (FE-23). Any other stays closed until
	// it has its content and its owner.
	perm, again := os.FileMode(0o666), w.info == nil && w.Op == Undo
	if w.info != nil || again {
		perm = 0o600
	}
	name := tempName()
	f, err := w.target.Dir.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	w.temp = name
	defer func() {
		err = errors.Join(err, f.Close())
	}()
	if _, err := f.Write(w.out.After); err != nil {
		return err
	}
	switch {
	case w.info != nil:
		err = keepMeta(f, w.file, w.info)
	case again:
		err = f.Chmod(w.mode)
	}
	if err != nil || t.opts.NoSync {
		return err
	}
	return f.Sync()
}

// openInPlace opens the target for writing into it. cause is why it cannot be
// replaced; it is the error where the target cannot be written either.
func (w *work) openInPlace(cause error) error {
	f, err := w.target.Dir.Open(w.target.Name, os.O_WRONLY, 0)
	if err != nil {
		if errors.Is(cause, errLossy) {
			cause = err
		}
		return osError("write", w.Path, cause)
	}
	w.inPlace = f
	info, err := f.Stat()
	if err != nil {
		return osError("stat", w.Path, err)
	}
	if !sameFile(info, w.info) {
		return ErrChanged
	}
	return nil
}

package changeset

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/ohhost/ohhost/host/jail"
)

// tempName is where a new content is staged. It is one fixed name, because all
// who stage in a directory hold its lock: what is there already is left over from
// a killed process, and can be found without a list of the directory. The digits
// mean nothing: they were drawn once, so that nobody has a file of that name who
// did not mean to, for sweep removes it.
//
// Security: nobody's file or link of that name is used. Ours is made with O_EXCL,
// and verify looks that it is still the one that was made.
const tempName = ".ohhost-staged-d41b6e0c93f7a258.tmp"

// otherTemp is a name for directories in which somebody else keeps tempName
// taken: one that cannot be guessed. There, what a killed process leaves stays.
func otherTemp() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return ".ohhost-" + hex.EncodeToString(b[:]) + ".tmp"
}

// sweep removes what killed processes have staged in the directories of the set.
func (t *transaction) sweep() {
	for _, w := range t.works {
		for _, tg := range w.targets() {
			removeStaged(tg.Dir, tempName)
		}
	}
}

// removeStaged removes a staged file. What cannot be one stays: a staged file is
// regular and has no other name. (It has one for a moment where the system cannot
// rename without replacing. What a process killed just then leaves stays, too.)
func removeStaged(dir *jail.Dir, name string) {
	info, err := dir.Lstat(name)
	if err == nil && info.Mode().IsRegular() && links(info) == 1 {
		_ = dir.Remove(name)
	}
}

// errLossy means that a replacement would lose owner, group, access list or
// mode.
var errLossy = errors.New("a replacement cannot keep the file's owner or mode")

// lossy is errLossy with what the system says.
func lossy(err error) error { return fmt.Errorf("%w: %w", errLossy, err) }

// stage writes the new content beside the target, ready to be renamed. Where a
// replacement would lose something, or where the directory is read-only and the
// file may be a mount of its own, it opens the target itself. A directory in
// which we may not write is neither: it says that its files are to stay (FE-25).
func (t *transaction) stage(ctx context.Context, w *work) error {
	if w.out.After == nil || w.Op == Move {
		return nil
	}
	err := t.stageTemp(ctx, w)
	if err == nil {
		return nil
	}
	w.discard()
	if w.info != nil && t.session != nil && (errors.Is(err, errLossy) || isOne(err, syscall.EROFS)) {
		return w.openInPlace(err)
	}
	return osError("write", w.Path, err)
}

func (t *transaction) stageTemp(ctx context.Context, w *work) (err error) {
	// A new file gets the mode that the kernel gives it: umask and the
	// directory's default access list count (FE-23). Any other stays closed until
	// it has its content and its owner.
	perm, again := os.FileMode(0o666), w.info == nil && w.Op == Undo
	if w.info != nil || again {
		perm = 0o600
	}
	f, err := w.createTemp(perm)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
	}()
	for piece := range slices.Chunk(w.out.After, pieceSize) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.Write(piece); err != nil {
			return err
		}
	}
	switch {
	case w.info != nil:
		err = keepMeta(f, w.file, w.staged, w.info)
	case again:
		err = f.Chmod(w.mode)
	}
	if err != nil || t.opts.NoSync {
		return err
	}
	return f.Sync()
}

// createTemp makes the staged file.
func (w *work) createTemp(perm fs.FileMode) (*os.File, error) {
	name := tempName
	f, err := w.target.Dir.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if isOne(err, syscall.EEXIST) {
		name = otherTemp()
		f, err = w.target.Dir.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	}
	if err != nil {
		return nil, err
	}
	w.temp = name
	if w.staged, err = f.Stat(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

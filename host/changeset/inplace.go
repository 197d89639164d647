package changeset

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ohhost/ohhost/host/jail"
)

// errLinked means that a file has more names than the one we know.
var errLinked = errors.New("the file has other names")

// openInPlace opens the target for writing into it. cause is why it cannot be
// replaced; it is the error where it cannot be written either.
func (w *work) openInPlace(cause error) error {
	f, err := openSole(w.target.Dir, w.target.Name, w.info)
	switch {
	case err == nil:
		w.inPlace = f
		return nil
	case errors.Is(err, ErrChanged):
		return err
	case errors.Is(err, errLinked), !errors.Is(cause, errLossy):
		err = cause
	}
	return osError("write", w.Path, err)
}

// openSole opens for writing the file that info describes, unless the name leads
// to another one by now (ErrChanged) or the file has more names (errLinked).
//
// Security: another name may lie outside all grants, and what is written here
// would be written there (threats F7).
func openSole(dir *jail.Dir, name string, info fs.FileInfo) (*os.File, error) {
	if links(info) > 1 {
		return nil, errLinked
	}
	f, err := dir.Open(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	switch {
	case err != nil:
	case !sameFile(now, info):
		err = ErrChanged
	case links(now) > 1:
		err = errLinked
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// overwrite writes the new content into the target itself. The journal holds the
// old one until that is done.
func (t *transaction) overwrite(w *work) error {
	step("overwrite")
	// Security: the file behind the descriptor had one name, and so has the file
	// behind ours: neither came or went while we looked.
	if err := w.unchanged(); err != nil {
		return err
	}
	err := overwrite(w.inPlace, int64(len(w.out.Before)), w.out.After, t.opts.NoSync)
	if err == nil {
		// Without the right to keep them, the kernel takes set-user-ID and
		// set-group-ID away at a write; the owner may give them back.
		if now, err := w.inPlace.Stat(); err == nil && bits(now.Mode()) != bits(w.info.Mode()) {
			_ = w.inPlace.Chmod(w.info.Mode() & modeBits)
		}
		return nil
	}
	if back := overwrite(w.inPlace, int64(len(w.out.After)), w.out.Before, t.opts.NoSync); back != nil {
		// The record stays: the next Apply tries again.
		w.stuck = true
		err = errors.Join(err, back)
	}
	return osError("write", w.Path, err)
}

// overwrite makes data the content of f, which is at most size bytes long now.
// What grows is written first: if the disk is full, no old byte has been touched
// yet. Every state on the way is one that torn knows.
func overwrite(f *os.File, size int64, data []byte, noSync bool) error {
	if n := int64(len(data)); n > size {
		if _, err := f.WriteAt(data[size:], size); err != nil {
			return err
		}
	}
	step("grown")
	if _, err := f.WriteAt(data[:min(int64(len(data)), size)], 0); err != nil {
		return err
	}
	step("overwritten")
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	if noSync {
		return nil
	}
	return f.Sync()
}

// torn says whether now can be what overwrite leaves when it is cut short
// between before and after: every byte is one of theirs.
func torn(now, before, after []byte) bool {
	if len(now) < min(len(before), len(after)) || len(now) > max(len(before), len(after)) {
		return false
	}
	for i, b := range now {
		if (i >= len(before) || before[i] != b) && (i >= len(after) || after[i] != b) {
			return false
		}
	}
	return true
}

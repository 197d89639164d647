package changeset

import (
	"errors"
	"os"
)

// overwrite writes the new content into the target itself. The journal holds the
// old one until that is done.
func (t *transaction) overwrite(w *work) error {
	step("overwrite")
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

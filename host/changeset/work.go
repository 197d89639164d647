package changeset

import (
	"io/fs"
	"os"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
)

// A work is one change under way.
type work struct {
	*Change
	index int

	target *jail.Target
	to     *jail.Target // of Move

	// What is there, read under the lock. info is nil where there is nothing;
	// file is open where there is a regular file.
	info  fs.FileInfo
	file  *os.File
	state string // digest, or abi.Absent; empty for a link

	// What shall be there. out.Before and out.After are the contents.
	remove bool
	mode   fs.FileMode // of a file that an undo makes again

	entry   *session.Entry   // goes onto the history
	pop     *session.Pending // comes off the history
	pending *session.Pending // either of them, prepared

	temp    string      // the staged file, beside the target
	staged  fs.FileInfo // as it was made
	inPlace *os.File    // or the target itself, open for writing
	stuck   bool        // the target is half written and could not be set right

	out Outcome
}

// fail makes err the failure of this change.
func (w *work) fail(err error) error {
	return &ChangeError{Index: w.index, Path: w.Path, Err: err}
}

// fits compares what is there with what the caller expects.
func (w *work) fits() error {
	if w.Expect != "" && w.Expect != w.state {
		return ErrChanged
	}
	return nil
}

// record is what the journal notes about the change.
func (w *work) record() session.RecordFile {
	r := session.RecordFile{Path: w.out.Path, Before: w.state, After: abi.Absent}
	if w.state == "" {
		r.Before = session.Link
	}
	switch {
	case w.Op == Mkdir:
		r.After = session.Directory
	case w.Op == Move:
		// The new name tells whether it happened.
		r.Before, r.After = abi.Absent, r.Before
	case !w.remove:
		r.After = w.out.Digest
	}
	if w.inPlace != nil {
		r.InPlace, r.Old, r.New = true, w.out.Before, w.out.After
	}
	return r
}

// discard removes what was staged and not used.
func (w *work) discard() {
	if w.temp != "" {
		removeStaged(w.target.Dir, w.temp)
		w.temp = ""
	}
}

func (w *work) close() {
	for _, f := range []*os.File{w.file, w.inPlace} {
		if f != nil {
			f.Close()
		}
	}
	for _, t := range w.targets() {
		t.Close()
	}
}

// targets are the places that the change writes to.
func (w *work) targets() []*jail.Target {
	var ts []*jail.Target
	for _, t := range []*jail.Target{w.target, w.to} {
		if t != nil {
			ts = append(ts, t)
		}
	}
	return ts
}

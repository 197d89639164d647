package changeset

import (
	"context"
	"errors"

	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
)

// step is called at the points between which a killed process leaves something
// to settle. Tests kill the process there.
var step = func(name string) {}

// Apply applies the set, whole or not at all, and returns one Outcome per
// change. Where s is nil there is no history (no entry is made, none is found),
// no state, and no writing in place.
//
// The error is a *ChangeError where one change is at fault. Else it is of the
// set: ErrManyFiles, ErrWritten, session.ErrQuota, session.ErrName, or what
// cancelled ctx.
// Once the first file is renamed the set is finished, whatever ctx says. An error
// means that nothing is changed, also where a disk fails: contents are synced
// before, and for directories see Outcome.Unsynced. (A file written in place that
// cannot even be set right again is left to the next Apply.)
func Apply(ctx context.Context, j *jail.Jail, s *session.Session, set *Set, opts *Options) ([]Outcome, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := check(set, s != nil); err != nil {
		return nil, err
	}
	if s != nil && !opts.DryRun {
		if err := Recover(ctx, j, s, opts); err != nil {
			return nil, err
		}
	}
	var err error
	for range moveTries {
		t := newTransaction(j, s, set, opts)
		var out []Outcome
		out, err = t.run(ctx)
		if failed := t.close(); failed != nil && err != nil {
			err = errors.Join(err, failed)
		}
		if err == nil {
			return out, nil
		}
		if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
			return nil, ended
		}
		if !errors.Is(err, errMoved) {
			return nil, err
		}
	}
	// Somebody keeps changing what the path leads to.
	var ce *ChangeError
	if errors.As(err, &ce) {
		err = &ChangeError{Index: ce.Index, Path: ce.Path, Err: ErrChanged}
	}
	return nil, err
}

// A transaction is one set under way.
type transaction struct {
	jail    *jail.Jail
	session *session.Session
	opts    *Options
	works   []*work
	blobs   []session.Blob

	unlock []func()
	tx     *session.Tx     // while the session's lock is held
	staged bool            // the blobs are staged
	record *session.Record // written, neither committed nor dropped
	done   bool            // the files are changed: nothing is taken back any more
}

func newTransaction(j *jail.Jail, s *session.Session, set *Set, opts *Options) *transaction {
	t := &transaction{jail: j, session: s, opts: opts}
	for i := range set.Changes {
		t.works = append(t.works, &work{Change: &set.Changes[i], index: i})
	}
	for _, b := range set.State {
		t.blobs = append(t.blobs, session.Blob{Name: b.Name, Data: b.Data})
	}
	return t
}

func (t *transaction) run(ctx context.Context) ([]Outcome, error) {
	if err := t.lock(ctx); err != nil {
		return nil, err
	}
	step("locked")
	for _, w := range t.works {
		if err := t.plan(ctx, w); err != nil {
			return nil, w.fail(err)
		}
	}
	if max := t.opts.MaxBytes; max > 0 && t.size() > max {
		return nil, ErrWritten
	}
	if !t.opts.DryRun {
		if err := t.write(ctx); err != nil {
			return nil, err
		}
	}
	outcomes := make([]Outcome, len(t.works))
	for i, w := range t.works {
		outcomes[i] = w.out
	}
	return outcomes, nil
}

// size is how many bytes of contents and blobs the set writes, once it is planned.
func (t *transaction) size() (n int64) {
	for _, w := range t.works {
		if w.Op != Move {
			n += w.out.Size
		}
	}
	for _, b := range t.blobs {
		n += int64(len(b.Data))
	}
	return n
}

// write is the part that changes something.
func (t *transaction) write(ctx context.Context) error {
	t.sweep()
	for _, w := range t.works {
		if err := t.stage(ctx, w); err != nil {
			return w.fail(err)
		}
	}
	step("staged")
	for _, w := range t.works {
		if err := w.verify(t.jail); err != nil {
			return w.fail(err)
		}
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	step("prepared")
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, w := range t.works {
		if err := t.perform(ctx, w); err != nil {
			return w.fail(err)
		}
	}
	t.done = true
	step("renamed")
	t.syncDirs()
	t.commit()
	step("committed")
	return nil
}

// begin takes the session's lock, once. It comes after the locks of the
// directories, always: nobody who holds it waits for a directory.
func (t *transaction) begin(ctx context.Context) (err error) {
	if t.tx == nil {
		t.tx, err = t.session.Begin(ctx)
	}
	return err
}

// prepare writes what belongs to the session, so that it can be committed or
// taken back whatever happens.
func (t *transaction) prepare(ctx context.Context) error {
	for _, w := range t.works {
		if t.session == nil || w.entry == nil && w.pop == nil {
			continue
		}
		if err := t.begin(ctx); err != nil {
			return err
		}
		if err := t.prepareUndo(w); err != nil {
			return w.fail(osError("write the undo history of", w.Path, err))
		}
	}
	if len(t.blobs) > 0 {
		if err := t.begin(ctx); err != nil {
			return err
		}
		if err := t.tx.Stage(t.blobs); err != nil {
			return osError("write the state of", t.name(), err)
		}
		t.staged = true
	}
	return t.journal(ctx)
}

// journal writes a record where undo entries alone cannot tell, after a kill,
// what is to be done.
func (t *transaction) journal(ctx context.Context) error {
	need := len(t.blobs) > 0
	for _, w := range t.works {
		need = need || w.inPlace != nil
	}
	if !need {
		return nil
	}
	if err := t.begin(ctx); err != nil {
		return err
	}
	r := t.record
	if r == nil {
		r = &session.Record{}
	}
	r.Files, r.Blobs = nil, nil
	for _, w := range t.works {
		r.Files = append(r.Files, w.record())
	}
	for _, b := range t.blobs {
		r.Blobs = append(r.Blobs, b.Name)
	}
	if err := t.tx.Journal(r); err != nil {
		return osError("write the journal of", t.name(), err)
	}
	t.record = r
	return nil
}

// name is a path that stands for the set in an error that is about no single
// change.
func (t *transaction) name() string {
	if len(t.works) == 0 {
		return "the session"
	}
	return t.works[0].Path
}

// commit makes history and blobs what the files already are. An error here does
// not unmake the set: what is left open is settled by the next Apply, to the
// same end.
func (t *transaction) commit() {
	for _, w := range t.works {
		_ = w.pending.Commit()
	}
	if t.record != nil && t.record.Commit() == nil {
		step("blobs")
	}
}

// close takes back what was prepared for a set that did not happen, and frees
// all.
func (t *transaction) close() error {
	var errs []error
	for _, w := range t.works {
		w.discard()
		if !t.done && !w.stuck {
			errs = append(errs, w.pending.Drop())
		}
	}
	stuck := false
	for _, w := range t.works {
		stuck = stuck || w.stuck
	}
	if !t.done && !stuck && t.tx != nil {
		if t.record != nil {
			errs = append(errs, t.record.Drop())
		} else if t.staged {
			errs = append(errs, t.tx.Unstage(t.blobs))
		}
	}
	if t.tx != nil {
		errs = append(errs, t.tx.End())
	}
	unlockEach(t.unlock)
	for _, w := range t.works {
		w.close()
	}
	return errors.Join(errs...)
}

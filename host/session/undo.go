package session

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// A Pending is a step that is durable but open: its file has not been changed
// yet. Commit it after the change, Drop it when the change did not happen. If
// neither comes, because the process was killed, Settle decides.
//
// The nil Pending is good too: that of an entry that is not kept.
type Pending struct {
	tx *Tx
	sl slot
}

// Prepare writes e as the newest entry of its key, open until it is committed.
// An entry over MaxUndo is not kept: the answer is nil and no error.
func (t *Tx) Prepare(e *Entry) (*Pending, error) {
	head := e.encodeHead()
	size := charge(int64(len(e.Before)))
	if head == nil || size > t.s.maxUndo {
		return nil, nil
	}
	if err := t.touch(); err != nil {
		return nil, err
	}
	sl := slot{key: hashKey(e.Key), charge: size, state: statePending}
	if n := len(t.s.slots); n > 0 {
		sl.seq = t.s.slots[n-1].seq + 1
	}
	if err := t.s.undo.create(sl.file(), head, e.Before); err != nil {
		t.forget()
		return nil, err
	}
	t.s.slots = append(t.s.slots, sl)
	return &Pending{tx: t, sl: sl}, nil
}

// PreparePop opens the removal of the entry that Newest returned: Commit removes
// it, Drop keeps it.
func (t *Tx) PreparePop(p *Pending) (*Pending, error) {
	if err := t.touch(); err != nil {
		return nil, err
	}
	sl, err := t.move(p.sl, stateUndoing)
	if err != nil {
		return nil, err
	}
	pop := &Pending{tx: t, sl: sl}
	if err := t.s.undo.sync(); err != nil {
		return nil, errors.Join(err, pop.Drop())
	}
	return pop, nil
}

// Commit makes the step part of the history, or the undone step vanish, and
// drops the oldest entries where there are too many. It need not be durable: a
// power cut leaves the step open, and Settle comes to the same end.
func (p *Pending) Commit() error {
	if p == nil {
		return nil
	}
	if p.sl.state == stateUndoing {
		return p.tx.remove(p.sl)
	}
	sl, err := p.tx.move(p.sl, stateDone)
	if err != nil {
		return err
	}
	return p.tx.trim(sl.key)
}

// Drop makes the step as if it had not been prepared.
func (p *Pending) Drop() error {
	if p == nil {
		return nil
	}
	if p.sl.state == stateUndoing {
		_, err := p.tx.move(p.sl, stateDone)
		return err
	}
	return p.tx.remove(p.sl)
}

// Newest returns the newest entry of the key, and what PreparePop takes; nil
// where there is none. state is what the file holds now, as for Settle: a step
// that is still open counts as Settle would decide it. A damaged entry is
// dropped.
func (t *Tx) Newest(key, state string) (*Entry, *Pending, error) {
	if err := t.load(); err != nil {
		return nil, nil, err
	}
	hash := hashKey(key)
	for _, sl := range slices.Backward(slices.Clone(t.s.slots)) {
		if sl.key != hash {
			continue
		}
		e, err := t.read(sl)
		if err != nil {
			if err := t.damaged(sl, err); err != nil {
				return nil, nil, err
			}
			continue
		}
		// Two keys may have one hash.
		if e.Key == key && (sl.state == stateDone || happened(e, sl.state, state) == (sl.state == statePending)) {
			return e, &Pending{tx: t, sl: sl}, nil
		}
	}
	return nil, nil, nil
}

func (t *Tx) read(sl slot) (*Entry, error) {
	b, err := t.s.undo.read(sl.file(), t.s.maxUndo+maxEntryHead)
	if err != nil {
		return nil, err
	}
	return decodeEntry(b)
}

// happened decides whether the open step of e was done, by what the file holds.
func happened(e *Entry, open, state string) bool {
	if open == stateUndoing {
		return e.BeforeDigest == state
	}
	return e.After == state
}

// Settle decides what a killed process left open in the history of key. state
// is what the file holds now: its digest, or abi.Absent.
//
// An edit happened if the file holds what it wrote. An undo happened if the file
// holds what it brought back. Where both are the same bytes (an edit that
// changes nothing, the undo of a create) the answer does not matter to the file:
// the edit counts as made, the undo as done.
func (t *Tx) Settle(key, state string) error {
	if err := t.load(); err != nil {
		return err
	}
	hash := hashKey(key)
	for _, sl := range slices.Clone(t.s.slots) {
		if sl.key != hash || sl.state == stateDone {
			continue
		}
		b, err := t.s.undo.readHead(sl.file(), maxEntryHead)
		var e *Entry
		if err == nil {
			e, _, _, err = decodeHead(b)
		}
		if err != nil {
			if err := t.damaged(sl, err); err != nil {
				return err
			}
			continue
		}
		if e.Key != key {
			continue
		}
		if err := t.touch(); err != nil {
			return err
		}
		p := &Pending{tx: t, sl: sl}
		if happened(e, sl.state, state) {
			err = p.Commit()
		} else {
			err = p.Drop()
		}
		if err != nil {
			return err
		}
	}
	// A kill between committing an entry and dropping the oldest leaves one too
	// many.
	if len(t.done(hash)) <= MaxEntries {
		return nil
	}
	if err := t.touch(); err != nil {
		return err
	}
	return t.trim(hash)
}

// done lists the key's entries that are part of the history, oldest first.
func (t *Tx) done(key keyHash) []slot {
	var own []slot
	for _, sl := range t.s.slots {
		if sl.key == key && sl.state == stateDone {
			own = append(own, sl)
		}
	}
	return own
}

// damaged drops the slot whose file could not be read as an entry. An error of
// the file system that says nothing about the file's content is returned.
func (t *Tx) damaged(sl slot, cause error) error {
	if !errors.Is(cause, errDamaged) && !errors.Is(cause, fs.ErrNotExist) {
		return fmt.Errorf("undo history: %w", cause)
	}
	// One that was just being written when its process was killed is no loss: its
	// edit never happened.
	if sl.state != statePending {
		t.s.log.Warn("undo entry dropped", "file", sl.file(), "error", cause)
	}
	if err := t.touch(); err != nil {
		return err
	}
	return t.remove(sl)
}

// trim drops the oldest entries of the key over MaxEntries, then the oldest of
// all over MaxUndo.
func (t *Tx) trim(key keyHash) error {
	var total int64
	for _, sl := range t.s.slots {
		total += sl.charge
	}
	own := t.done(key)
	for _, sl := range own[:max(0, len(own)-MaxEntries)] {
		if err := t.remove(sl); err != nil {
			return err
		}
		total -= sl.charge
	}
	for total > t.s.maxUndo && len(t.s.slots) > 1 {
		oldest := t.s.slots[0]
		if err := t.remove(oldest); err != nil {
			return err
		}
		total -= oldest.charge
	}
	return nil
}

func (t *Tx) move(sl slot, state string) (slot, error) {
	to := sl
	to.state = state
	if err := t.s.undo.rename(sl.file(), to.file()); err != nil {
		t.forget()
		return sl, err
	}
	if i := slices.Index(t.s.slots, sl); i >= 0 {
		t.s.slots[i] = to
	}
	return to, nil
}

func (t *Tx) remove(sl slot) error {
	if err := t.s.undo.remove(sl.file()); err != nil {
		t.forget()
		return err
	}
	if i := slices.Index(t.s.slots, sl); i >= 0 {
		t.s.slots = slices.Delete(t.s.slots, i, i+1)
	}
	return nil
}

// Entries returns how many entries the key has and how many bytes all entries
// count together.
func (t *Tx) Entries(key string) (n int, total int64, err error) {
	if err := t.load(); err != nil {
		return 0, 0, err
	}
	hash := hashKey(key)
	for _, sl := range t.s.slots {
		if sl.key == hash && sl.state == stateDone {
			n++
		}
		total += sl.charge
	}
	return n, total, nil
}

package session

import "context"

// A Tx is a hold on the session's lock: what is done through it happens in one
// piece for all who use the session. It is not safe for concurrent use.
type Tx struct {
	s       *Session
	loaded  bool // s.slots is what the directory holds
	touched bool // the counter has been increased
}

// Begin waits for the session's lock until ctx ends. The caller must End it.
func (s *Session) Begin(ctx context.Context) (*Tx, error) {
	if err := s.lock.acquire(ctx); err != nil {
		return nil, err
	}
	return &Tx{s: s}, nil
}

// End gives the lock back.
func (t *Tx) End() error { return t.s.lock.release() }

// load makes sure that slots is what the directory holds.
func (t *Tx) load() error {
	if t.loaded {
		return nil
	}
	s := t.s
	if gen := s.lock.count(undoChanges); !s.known || s.gen != gen {
		if err := s.scan(); err != nil {
			return err
		}
		s.gen, s.known = gen, true
	}
	t.loaded = true
	return nil
}

// touch tells other processes, before the history changes, that what they
// remember of it is old.
func (t *Tx) touch() error {
	if err := t.load(); err != nil || t.touched {
		return err
	}
	if err := t.s.lock.setCount(undoChanges, t.s.gen+1); err != nil {
		return err
	}
	t.s.gen++
	t.touched = true
	return nil
}

// forget makes the next use read the directory again: after a failure it may
// differ from what we remember.
func (t *Tx) forget() { t.s.known, t.loaded, t.touched = false, false, false }

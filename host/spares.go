package host

import (
	"context"
	"sync"
)

// spares keeps instances of one module ready, so that a call does not wait for its
// own to be made. They are made by one goroutine, which ends when there are enough.
type spares struct {
	want int

	mu     sync.Mutex
	ready  []*instance
	making bool
	closed bool
	done   sync.WaitGroup
}

// take returns an instance that nobody else will get, and sees to the next.
func (s *spares) take(ctx context.Context, c *code) (*instance, error) {
	s.mu.Lock()
	var in *instance
	if n := len(s.ready); n > 0 {
		in, s.ready = s.ready[n-1], s.ready[:n-1]
	}
	if !s.making && !s.closed && len(s.ready) < s.want && c.image != nil {
		s.making = true
		s.done.Go(func() { s.fill(c) })
	}
	s.mu.Unlock()
	if in != nil {
		return in, nil
	}
	return c.instantiate(ctx)
}

// fill makes instances until there are enough. One that cannot be made is left to
// the next call, which will say why.
func (s *spares) fill(c *code) {
	for {
		in, err := c.instantiate(context.Background())
		s.mu.Lock()
		if err == nil && !s.closed {
			s.ready = append(s.ready, in)
			in = nil
		}
		more := err == nil && !s.closed && len(s.ready) < s.want
		s.making = more
		s.mu.Unlock()
		if in != nil {
			in.close()
		}
		if !more {
			return
		}
	}
}

// close drops the spares and makes no more.
func (s *spares) close() {
	s.mu.Lock()
	s.closed = true
	ready := s.ready
	s.ready = nil
	s.mu.Unlock()
	s.done.Wait()
	for _, in := range ready {
		in.close()
	}
}

package host

import (
	"context"
	"sync"
)

// spareMax is how much memory an instance that is kept ready may have, in bytes: a
// module that declares 256 MiB would hold that much for each, for as long as the host
// lives.
const spareMax = 16 << 20

// spares keeps instances of one module ready, so that a call does not wait for its
// own to be made, nor for its memory to be touched for the first time. They are
// made by one goroutine, which ends when there are enough, out of memory that
// earlier calls have left, cleaned.
type spares struct {
	want int

	mu     sync.Mutex
	ready  []*instance
	memory []*mappedMemory // to be cleaned, at most want
	making bool
	closed bool
	done   sync.WaitGroup
}

// take returns an instance that nobody else will get.
func (s *spares) take(ctx context.Context, c *code) (*instance, error) {
	s.mu.Lock()
	var in *instance
	if n := len(s.ready); n > 0 {
		in, s.ready = s.ready[n-1], s.ready[:n-1]
	}
	s.mu.Unlock()
	if in != nil {
		return in, nil
	}
	return c.instantiate(ctx, nil)
}

// drop frees an instance after its call and sees to the next; the memory is used again
// unless the call ended with an error. Then it calls done. Giving back 256 MiB takes
// some 20 ms, for which no caller waits, but the next guest does.
func (s *spares) drop(in *instance, well bool, done func()) {
	if in.mod.Memory().Size() <= spareMax {
		s.free(in, well)
		done()
		return
	}
	s.done.Go(func() {
		s.free(in, well)
		done()
	})
}

func (s *spares) free(in *instance, well bool) {
	c := in.code
	var warm *mappedMemory
	if well {
		warm = in.memory.release()
	}
	in.close()
	s.mu.Lock()
	if warm != nil && !s.closed && warm.small() && len(s.memory)+len(s.ready) < s.want {
		s.memory = append(s.memory, warm)
		warm = nil
	}
	if !s.making && !s.closed && len(s.ready) < s.want && c.image != nil && int(c.image.pages)*pageSize <= spareMax {
		s.making = true
		s.done.Go(func() { s.fill(c) })
	}
	s.mu.Unlock()
	if warm != nil {
		warm.Free()
	}
}

// fill makes instances until there are enough. One that cannot be made is left to
// the next call, which will say why.
func (s *spares) fill(c *code) {
	for {
		in, err := c.instantiate(context.Background(), s.warm(c))
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

// warm returns clean memory for an instance, or nil.
func (s *spares) warm(c *code) *mappedMemory {
	s.mu.Lock()
	var m *mappedMemory
	if n := len(s.memory); n > 0 {
		m, s.memory = s.memory[n-1], s.memory[:n-1]
	}
	s.mu.Unlock()
	if m != nil {
		if m.reset(c.image) {
			return m
		}
		m.Free()
	}
	return warmMemory(c.memoryMax(), c.image)
}

// close drops the spares and makes no more.
func (s *spares) close() {
	s.mu.Lock()
	s.closed = true
	ready, memory := s.ready, s.memory
	s.ready, s.memory = nil, nil
	s.mu.Unlock()
	s.done.Wait()
	for _, in := range ready {
		in.close()
	}
	for _, m := range memory {
		m.Free()
	}
}

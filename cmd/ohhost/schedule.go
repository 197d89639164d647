package main

import (
	"slices"
	"sync"
)

// A job is one call of a batch.
type job struct {
	size int // bytes of its line
	keys func() ([]string, error)
	run  func()

	earlier []*job        // that had not ended when this one came
	done    chan struct{} // closed when it has ended

	once  sync.Once
	held  []string // its resource keys
	alone bool     // its keys are not known: it overlaps nothing
}

// A schedule runs jobs side by side, but those that share a resource key one
// after the other, in the order in which they came. It asks for keys only when
// there are two jobs at once: a caller that waits for each answer pays nothing.
type schedule struct {
	slots chan struct{} // held by whoever runs guest code

	mu      sync.Mutex
	room    sync.Cond
	active  []*job // not ended, in order
	pending int    // bytes of their lines
	all     sync.WaitGroup
}

func newSchedule(parallel int) *schedule {
	s := &schedule{slots: make(chan struct{}, parallel)}
	s.room.L = &s.mu
	return s
}

// waitForRoom blocks while too many jobs, or too large ones, have not ended.
func (s *schedule) waitForRoom() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.active) >= maxJobs || s.pending >= maxPending {
		s.room.Wait()
	}
}

// start runs j when its turn has come; it does not wait for that.
func (s *schedule) start(j *job) {
	j.done = make(chan struct{})
	s.mu.Lock()
	j.earlier = slices.Clone(s.active)
	s.active = append(s.active, j)
	s.pending += j.size
	s.mu.Unlock()
	s.all.Go(func() {
		s.await(j)
		s.slots <- struct{}{}
		j.run()
		<-s.slots
		s.end(j)
	})
}

// wait returns when all jobs have ended.
func (s *schedule) wait() { s.all.Wait() }

// await returns when no earlier job runs that j must not overlap.
func (s *schedule) await(j *job) {
	for _, e := range j.earlier {
		if e.ended() {
			continue
		}
		s.learn(j)
		s.learn(e)
		if j.conflicts(e) {
			<-e.done
		}
	}
	j.earlier = nil
}

// learn asks for the keys of a job, once.
func (s *schedule) learn(j *job) {
	j.once.Do(func() {
		s.slots <- struct{}{}
		defer func() { <-s.slots }()
		var err error
		j.held, err = j.keys()
		j.alone = err != nil
	})
}

func (s *schedule) end(j *job) {
	s.mu.Lock()
	s.active = slices.DeleteFunc(s.active, func(x *job) bool { return x == j })
	s.pending -= j.size
	s.mu.Unlock()
	s.room.Broadcast()
	close(j.done)
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

func (j *job) conflicts(e *job) bool {
	return j.alone || e.alone || slices.ContainsFunc(j.held, func(k string) bool { return slices.Contains(e.held, k) })
}

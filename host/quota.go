package host

import (
	"fmt"

	"github.com/ohhost/ohhost/host/changeset"
)

// A quota is what one call has written, of files and of state. It is used by one
// goroutine.
type quota struct {
	limits *Limits
	files  int
	bytes  int64
}

// A quotaError means that a call would write more than it may; nothing of what was
// asked for was done.
type quotaError struct{ why string }

// Error says which limit.
func (e *quotaError) Error() string { return e.why }

// check returns a *quotaError where there is no room for so many files more.
func (q *quota) check(files int) error {
	switch {
	case files > q.limits.WrittenFiles-q.files:
		return &quotaError{fmt.Sprintf("a call changes at most %d files", q.limits.WrittenFiles)}
	case q.left() <= 0:
		return q.full()
	}
	return nil
}

// left is how many bytes more may be written.
func (q *quota) left() int64 { return q.limits.WrittenBytes - q.bytes }

func (q *quota) full() error {
	return &quotaError{fmt.Sprintf("a call writes at most %d bytes", q.limits.WrittenBytes)}
}

// takeBytes notes bytes that are going to be written, or returns a *quotaError.
func (q *quota) takeBytes(n int) error {
	if int64(n) > q.left() {
		return q.full()
	}
	q.bytes += int64(n)
	return nil
}

// took notes a set that was applied.
func (q *quota) took(set *changeset.Set, outcomes []changeset.Outcome) {
	q.files += len(outcomes)
	for i := range outcomes {
		if outcomes[i].From == "" { // a move writes no contents
			q.bytes += outcomes[i].Size
		}
	}
	for _, s := range set.State {
		q.bytes += int64(len(s.Data))
	}
}

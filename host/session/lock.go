package session

import (
	"context"
	"encoding/binary"
	"os"
)

// A lock is the session's one lock: among goroutines a semaphore, among
// processes a lock on the file. The file holds two counters: whoever changes the
// undo history, or writes to the journal, increases its own first, so that others
// know whether what they remember still holds.
type lock struct {
	file *os.File
	sem  chan struct{}
}

func openLock(root *os.Root, name string) (*lock, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &lock{file: f, sem: make(chan struct{}, 1)}, nil
}

// acquire waits for the lock until ctx ends.
func (l *lock) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.sem <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	got, err := tryLock(l.file)
	if err != nil {
		<-l.sem
	}
	if got || err != nil {
		return err
	}
	return l.wait(ctx)
}

// wait queues for a lock that another process holds. The kernel serves those who
// wait in turn, and wakes one at a time. Its wait cannot be called back, so when
// ctx ends it goes on without us, and what it gets is given back. The semaphore
// stays taken so long: there is one such wait at most.
func (l *lock) wait(ctx context.Context) error {
	got := make(chan error, 1)
	go func() { got <- waitLock(l.file) }()
	select {
	case err := <-got:
		if err != nil {
			<-l.sem
		}
		return err
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				_ = unlock(l.file)
			}
			<-l.sem
		}()
		return ctx.Err()
	}
}

func (l *lock) release() error {
	err := unlock(l.file)
	<-l.sem
	return err
}

func (l *lock) close() error { return l.file.Close() }

// The counters, by their offset.
const (
	undoChanges    = 0
	journalRecords = 8
)

// count reads a counter; one that is not there is 0.
func (l *lock) count(counter int64) uint64 {
	var b [8]byte
	if n, _ := l.file.ReadAt(b[:], counter); n < len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}

func (l *lock) setCount(counter int64, n uint64) error {
	_, err := l.file.WriteAt(binary.LittleEndian.AppendUint64(nil, n), counter)
	return err
}

package session

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// The lock covers a byte far behind the counter: a locked range cannot be read
// by others on windows.
var lockRange = windows.Overlapped{Offset: 1 << 30}

// tryLock answers false and nil when another process holds the lock.
func tryLock(f *os.File) (bool, error) {
	ol := lockRange
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &ol)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}

// waitLock returns when it has the lock. It polls: a handle that waits in the
// kernel cannot be read from.
func waitLock(f *os.File) error {
	for {
		if ok, err := tryLock(f); ok || err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func unlock(f *os.File) error {
	ol := lockRange
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &ol)
}

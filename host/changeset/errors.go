package changeset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

var (
	// ErrChanged means that a file is not what the change expects: its digest
	// differs, it vanished, or it appeared.
	ErrChanged = errors.New("the file was changed since it was read")
	// ErrUndoChanged means that the file is not what the edit that would be undone
	// has written. The entry stays. It Is ErrChanged.
	ErrUndoChanged = fmt.Errorf("%w: it is not what the last edit wrote", ErrChanged)
	// ErrNoUndo means that the key has no undo entry.
	ErrNoUndo = errors.New("no undo entry")
	// ErrManyFiles means that the set has more than one change.
	ErrManyFiles = errors.New("a set of more than one file needs the journal, which this version does not have")
	// ErrWritten means that the set would write more than Options.MaxBytes.
	ErrWritten = errors.New("the set writes too many bytes")
	// ErrInvalid means that the set itself is wrong.
	ErrInvalid = errors.New("invalid change")
)

// A TooLargeError means that a file is, or would become, larger than the
// change's Max.
type TooLargeError struct {
	Size int64 // bytes
}

// Error says how large.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the file is too large: %d bytes", e.Size)
}

// A ChangeError is the failure of one change; nothing of the set was applied. It
// wraps a *jail.DeniedError, a *fs.PathError (whose Path is the caller's),
// ErrChanged, ErrUndoChanged, ErrNoUndo, ErrInvalid, a *TooLargeError, or one of
// package text.
type ChangeError struct {
	Index int    // of the change in the set
	Path  string // as the caller wrote it
	Err   error
}

// Error names the path once.
func (e *ChangeError) Error() string {
	var pe *fs.PathError
	if errors.As(e.Err, &pe) {
		return e.Err.Error()
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ChangeError) Unwrap() error { return e.Err }

// osError names the caller's path in err, and no other: a temporary name or the
// session's directory is noise for whoever reads it. What is not of the
// operating system (a denial, a cancelled context) passes.
func osError(op, path string, err error) error {
	var (
		pe *fs.PathError
		le *os.LinkError
		se *os.SyscallError
	)
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	case errors.As(err, &se):
		err = se.Err
	default:
		var errno syscall.Errno
		if !errors.As(err, &errno) {
			return err
		}
		err = errno
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// isOne says whether err is one of the errnos.
func isOne(err error, errnos ...syscall.Errno) bool {
	for _, e := range errnos {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

package jail

import (
	"errors"
	"strings"
)

// ErrNotRegular means that a path names neither a regular file nor a directory:
// a FIFO, a device or a socket. Such a path is never waited for or read.
var ErrNotRegular = errors.New("neither a regular file nor a directory")

// ErrTooMany means that a directory has more entries than List was asked for.
var ErrTooMany = errors.New("too many entries in the directory")

// A DeniedError means that the grant does not allow an access. For a path
// outside the grants it is the same whether something is there or not.
type DeniedError struct {
	Path string // as the caller wrote it
	Why  string // which rule refused, "it is outside the grants"
	Ask  string // the flag that would allow it, "--grant ro:/etc/hosts"; empty when none would
}

// Error names the path, the rule, and what would allow it.
func (e *DeniedError) Error() string {
	s := e.Path + ": denied: " + e.Why
	if e.Ask != "" {
		s += "; allow it with " + e.Ask
	}
	return s
}

// AskToWrite returns the flag that would allow a write, for who meant to write
// and was refused when looking: "--grant rw:/w/f" where Ask says "--grant
// ro:/w/f", and Ask otherwise.
func (e *DeniedError) AskToWrite() string {
	for _, quote := range []string{"", "'"} {
		if p, ok := strings.CutPrefix(e.Ask, "--grant "+quote+"ro:"); ok {
			return "--grant " + quote + "rw:" + p
		}
	}
	return e.Ask
}

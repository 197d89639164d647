package guest

import (
	"strconv"

	"github.com/ohhost/ohhost/abi"
)

// A DeniedError means that a grant refused; a tool that returns it is answered
// as denied, and the caller is told what would allow it.
type DeniedError struct {
	Path string // as it was asked for; empty when it is not about a path
	Why  string // which rule refused
	// Write says that the call means to change the file, also when what was
	// refused was a look at it: the user is asked for that.
	Write bool
}

// Error names the path and the rule.
func (e *DeniedError) Error() string {
	if e.Path == "" {
		return "denied: " + e.Why
	}
	return e.Path + ": denied: " + e.Why
}

// A RaisedError is a failure of the tool itself, outside its own error handling
// (spec/tools.md, "Results"). Any error that Call returns and that is none of
// this package's is answered the same way, with its Error as message.
type RaisedError struct{ Message string }

// Error is the message.
func (e *RaisedError) Error() string { return e.Message }

// A ToolError is a failure that the model should read: a tool that returns it is
// answered with a Result whose only text is Text and whose IsError is set.
type ToolError struct{ Text string }

// Error is the text.
func (e *ToolError) Error() string { return e.Text }

// A FileError is what the files service refused, but for denials, which are a
// *DeniedError. Kind is one of package abi's Err constants.
type FileError struct {
	Op      string // "read", "apply"
	Path    string // as it was asked for; of apply that of the change at fault
	Kind    string
	Message string // strerror's text for abi.ErrOS
	Errno   int    // for abi.ErrOS, Linux's number
	Name    string // for abi.ErrOS, "ENOENT"
	Size    int64  // for abi.ErrTooLarge, bytes
	Change  int    // for apply, the index of the change at fault
}

// Error names what was done, the path and the reason.
func (e *FileError) Error() string {
	s := e.Op + " " + e.Path + ": " + e.Message
	if e.Kind == abi.ErrTooLarge {
		s += " (" + strconv.FormatInt(e.Size, 10) + " bytes)"
	}
	return s
}

// A StateError is what the state service refused. Kind is one of package abi's
// Err constants: ErrQuota, ErrNotFound or ErrInvalid.
type StateError struct {
	Op      string // "put"
	Name    string // of the value
	Kind    string
	Message string
}

// Error names what was done, the value and the reason.
func (e *StateError) Error() string { return "state: " + e.Op + " " + e.Name + ": " + e.Message }

package tool

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels for errors.Is.
var (
	ErrDenied      = errors.New("denied")
	ErrUnknownTool = errors.New("unknown tool")
)

// Kinds of an error at edges that speak JSON (architecture, "One call").
const (
	KindInvalidArgs = "invalid_args"
	KindUnknownTool = "unknown_tool"
	KindDenied      = "denied"
	KindFault       = "fault"
	KindRaised      = "error"
	KindBadRequest  = "bad_request"
)

// A DeniedError means that a grant or a policy said no. It Is ErrDenied.
type DeniedError struct {
	Tool string
	Path string   // as the caller wrote it; empty when it is not about a path
	Why  string   // which rule refused, "it is outside the grants"
	Have []string // the grants, "rw /w"
	Ask  string   // what would allow it, "--grant ro:/etc"
}

// Error names the path, the rule, the grants and what would allow it, on one
// line.
func (e *DeniedError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		fmt.Fprintf(&b, "%s: ", e.Path)
	}
	b.WriteString("denied: " + e.Why)
	if len(e.Have) > 0 {
		b.WriteString("; granted: " + strings.Join(e.Have, ", "))
	}
	if e.Ask != "" {
		b.WriteString("; allow it with " + e.Ask)
	}
	return b.String()
}

// Is reports whether target is ErrDenied.
func (e *DeniedError) Is(target error) bool { return target == ErrDenied }

// A FaultError means that something is broken: a trap, a timeout, an answer that
// is no frame, a closed host. It wraps the cause; a timeout is
// context.DeadlineExceeded.
type FaultError struct {
	Tool string
	Op   string // what was done, "call", "compile"
	Err  error
	// Detail is for people who look closer: the guest's stack and the bounded
	// end of its standard error. %+v prints it.
	Detail string
}

// Error is one line.
func (e *FaultError) Error() string {
	msg, _, _ := strings.Cut(e.Err.Error(), "\n")
	return fmt.Sprintf("%s: %s: %s", e.Tool, e.Op, msg)
}

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

// Format prints Detail after the line for %+v.
func (e *FaultError) Format(s fmt.State, verb rune) {
	fmt.Fprint(s, e.Error())
	if verb == 'v' && s.Flag('+') && e.Detail != "" {
		fmt.Fprint(s, "\n", e.Detail)
	}
}

// A RaisedError is one that the tool itself raised, outside its own error
// handling (spec/tools.md, "Results").
type RaisedError struct {
	Tool    string
	Message string
}

// Error is the text of the reference: `Error executing tool 'x': message`.
func (e *RaisedError) Error() string {
	return fmt.Sprintf("Error executing tool '%s': %s", e.Tool, e.Message)
}

// An ArgumentError means that the arguments fail the tool's schema; the tool was
// not run.
type ArgumentError struct {
	Tool     string
	Problems []ArgumentProblem // at least one, in the order of the schema
}

// An ArgumentProblem is one thing that is wrong with the arguments.
type ArgumentProblem struct {
	Field string // "insert_line", "view_range[1]"; empty for the arguments as a whole
	Want  string // what was expected, "an integer"
	Got   string // what was there, `"1.5"`; empty when it is missing
}

// Error names each field and what was expected of it.
func (e *ArgumentError) Error() string {
	parts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		field := p.Field
		if field == "" {
			field = "arguments"
		}
		parts[i] = field + ": " + p.Want
		if p.Got != "" {
			parts[i] += ", got " + p.Got
		}
	}
	return fmt.Sprintf("invalid arguments for %s: %s", e.Tool, strings.Join(parts, "; "))
}

// Kind returns the kind of an error at edges that speak JSON; KindFault for what
// is none of this package's errors.
func Kind(err error) string {
	var (
		arg    *ArgumentError
		raised *RaisedError
	)
	switch {
	case errors.As(err, &arg):
		return KindInvalidArgs
	case errors.Is(err, ErrUnknownTool):
		return KindUnknownTool
	case errors.Is(err, ErrDenied):
		return KindDenied
	case errors.As(err, &raised):
		return KindRaised
	}
	return KindFault
}

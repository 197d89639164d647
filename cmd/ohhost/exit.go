package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/ohhost/ohhost/tool"
)

// Exit codes (architecture, "One call").
const (
	exitOK     = 0
	exitTool   = 1 // the tool answered with an error; for selftest, an attack got through
	exitUsage  = 2
	exitDenied = 3
	exitFault  = 4
)

// errToolFailed is returned after a result that is an error was shown.
var errToolFailed = errors.New("the tool answered with an error")

// A usageError is about the command line: a flag, a missing file.
type usageError struct {
	err  error
	hint string // what to do, may be empty
}

// Error is the cause's.
func (e *usageError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *usageError) Unwrap() error { return e.err }

func usagef(hint, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), hint: hint}
}

// A shownError is one that standard output has told of already, as JSON.
type shownError struct{ error }

// Unwrap returns the error itself.
func (e shownError) Unwrap() error { return e.error }

// finish tells of an error and returns the exit code.
func (a *app) finish(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	var sig *interruptedError
	// What ended in spite of a signal, with a result or a refusal, has ended so.
	if errors.As(context.Cause(ctx), &sig) && (exitCode(err) == exitFault || errors.Is(err, sig) || errors.Is(err, context.Canceled)) {
		a.complain(sig, "")
		return sig.exitCode()
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitOK // nobody reads on
	}
	var shown shownError
	if !errors.As(err, &shown) && !errors.Is(err, errToolFailed) && !errors.Is(err, errThrough) {
		a.complain(err, hint(err))
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var (
		usage  *usageError
		arg    *tool.ArgumentError
		raised *tool.RaisedError
	)
	switch {
	case errors.Is(err, errToolFailed), errors.Is(err, errThrough), errors.As(err, &raised):
		return exitTool
	case errors.As(err, &usage), errors.As(err, &arg), errors.Is(err, tool.ErrUnknownTool):
		return exitUsage
	case errors.Is(err, tool.ErrDenied):
		return exitDenied
	}
	return exitFault
}

// hint says what to do about an error; empty when there is nothing to say.
func hint(err error) string {
	var (
		usage  *usageError
		denied *tool.DeniedError
		arg    *tool.ArgumentError
	)
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &denied) && denied.Ask != "":
		return "allow it with " + denied.Ask
	case errors.As(err, &arg):
		return "`ohhost tools " + arg.Tool + "` shows its arguments"
	}
	return ""
}

// complain prints an error and a hint, cleaned of control characters: both may
// quote what a model, a guest or a file name says.
func (a *app) complain(err error, hint string) {
	msg := err.Error()
	var denied *tool.DeniedError
	if errors.As(err, &denied) && err == error(denied) {
		plain := *denied
		plain.Ask = "" // it is the hint
		msg = plain.Error()
	}
	first, rest, _ := strings.Cut(strings.TrimRight(msg, "\n"), "\n")
	fmt.Fprintln(a.err, "error:", cleanLine(first))
	for line := range strings.Lines(rest) {
		fmt.Fprintln(a.err, "  "+strings.TrimSpace(cleanLine(strings.TrimSuffix(line, "\n"))))
	}
	if hint != "" {
		fmt.Fprintln(a.err, "hint:", cleanLine(hint))
	}
}

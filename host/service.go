package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/changeset"
	"github.com/ohhost/ohhost/host/ijson"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
)

// serviceName reads the service that a request is for.
func serviceName(header []byte) (string, error) {
	var h struct {
		Service string `json:"service"`
	}
	err := readRequest(header, &h)
	return h.Service, err
}

// readRequest reads the header of a request.
func readRequest(header []byte, v any) error {
	if len(header) > maxRequestJSON {
		return fmt.Errorf("it has %d bytes, at most %d are read", len(header), maxRequestJSON)
	}
	return ijson.Unmarshal(header, v)
}

// serviceError is the "error" of an answer, see package abi, "Services".
type serviceError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Errno   int    `json:"errno,omitempty"`
	Name    string `json:"name,omitempty"`
	Size    int64  `json:"size,omitempty"`
	Change  int    `json:"change"`
}

// reply makes the frame of an answer from its header's value.
func reply(header any, attachments ...[]byte) (*abi.Frame, error) {
	b, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	return &abi.Frame{Header: b, Attachments: attachments}, nil
}

// refuse makes the frame of a failed request.
func refuse(e *serviceError) (*abi.Frame, error) {
	return reply(map[string]any{"error": e})
}

// invalid makes the frame for a request that is itself wrong.
func invalid(why string) (*abi.Frame, error) {
	return refuse(&serviceError{Kind: abi.ErrInvalid, Message: why})
}

// errorOf translates an error of jail, changeset, session or text for the guest.
// One of another kind is the host's own trouble: it is returned and ends the
// call.
func errorOf(err error) (*serviceError, error) {
	var (
		change *changeset.ChangeError
		denied *jail.DeniedError
		large  *changeset.TooLargeError
		full   *quotaError
		path   *fs.PathError
		errno  syscall.Errno
	)
	e := &serviceError{Message: err.Error()}
	if errors.As(err, &change) {
		e.Change = change.Index
	}
	switch {
	case errors.As(err, &denied):
		e.Kind, e.Message = abi.ErrDenied, denied.Why
	case errors.As(err, &large):
		e.Kind, e.Size = abi.ErrTooLarge, large.Size
	case errors.Is(err, changeset.ErrNoUndo):
		e.Kind = abi.ErrNoUndo
	case errors.Is(err, changeset.ErrChanged):
		e.Kind = abi.ErrChanged
	case errors.Is(err, text.ErrEncodingUnknown):
		e.Kind = abi.ErrEncodingUnknown
	case errors.Is(err, session.ErrQuota), errors.As(err, &full):
		e.Kind = abi.ErrQuota
	case errors.Is(err, jail.ErrNotRegular):
		e.Kind = abi.ErrNotRegular
	case errors.Is(err, changeset.ErrInvalid), errors.Is(err, changeset.ErrManyFiles), errors.Is(err, session.ErrName), errors.Is(err, jail.ErrTooMany):
		e.Kind = abi.ErrInvalid
	case errors.As(err, &path) && errors.As(err, &errno):
		e.Kind, e.Errno, e.Name, e.Message = abi.ErrOS, int(errno), errnoName(errno), strerror(errno)
	default:
		return nil, err
	}
	return e, nil
}

// strerror is the C library's text for an error, which Python's messages carry:
// on Unix, Go's with a capital letter (errno_test.go compares them).
func strerror(errno syscall.Errno) string {
	s := errno.Error()
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

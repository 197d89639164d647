package guest

import (
	"errors"

	"github.com/ohhost/ohhost/abi"
)

// A Host is what stands on the other side of a plugin while it answers one
// call. In a module it is the imports of ohhost_v1; natively a test brings its
// own (package guesttest has one over the real services). A Host belongs to one
// call and is used by one goroutine.
type Host interface {
	// Invoke calls a service with an encoded request frame and returns the
	// encoded answer, or a negative code of package abi (RefusedMalformed, …).
	// The answer belongs to the caller; the frame is not kept.
	Invoke(frame []byte) (answer []byte, code int64)
	// Log writes one line at a level of package abi (LogTrace … LogError).
	Log(level int, msg string)
	// Progress tells the waiting user of a small step; it may be dropped.
	Progress(text string)
}

// errLimit is what a tool gets when the call has used up a limit of the host.
var errLimit = errors.New("a limit of this call is used up")

// invoke sends a request and returns the answer's attachments and its header as
// an object. A refusal as a whole is a *DeniedError or an error that becomes
// "raised"; the header's own "error" is left to the caller.
func invoke(h Host, service string, req *request) (Object, [][]byte, error) {
	frame, err := req.frame()
	if err != nil {
		return Object{}, nil, err
	}
	answer, code := h.Invoke(frame)
	switch {
	case code == abi.RefusedService:
		return Object{}, nil, &DeniedError{Why: "the service " + service + " is not granted"}
	case code == abi.RefusedLimit:
		return Object{}, nil, errLimit
	case code < 0:
		return Object{}, nil, errors.New("service " + service + ": the host took the request for malformed")
	}
	f, err := abi.DecodeFrame(answer)
	if err != nil {
		return Object{}, nil, errors.New("service " + service + ": " + err.Error())
	}
	v, err := Parse(f.Header)
	if err != nil {
		return Object{}, nil, errors.New("service " + service + ": " + err.Error())
	}
	o, ok := v.Object()
	if !ok {
		return Object{}, nil, errors.New("service " + service + ": the answer's header is not an object")
	}
	return o, f.Attachments, nil
}

// A request is a service request while it is put together: its header, of which
// the closing brace is missing, and the attachments.
type request struct {
	writer
	op          string
	attachments [][]byte
}

// newRequest begins a request.
func newRequest(service, op string) *request {
	r := &request{op: op}
	r.raw("{")
	r.stringMember("service", service)
	r.stringMember("op", op)
	return r
}

// attach adds an attachment and returns its index. b must not change until the
// request has been sent.
func (r *request) attach(b []byte) int {
	r.attachments = append(r.attachments, b)
	return len(r.attachments) - 1
}

// frame encodes the request; the one copy of its attachments is made here.
func (r *request) frame() ([]byte, error) {
	r.raw("}")
	f := abi.Frame{Header: r.b, Attachments: r.attachments}
	return f.Append(make([]byte, 0, f.Size()))
}

package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"github.com/tetratelabs/wazero/sys"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

const (
	logLineMax  = 4 << 10 // bytes of one logged line
	progressMax = 4 << 10 // bytes of one progress text
	outputPiece = 1 << 20 // bytes of output that are copied between two looks at the deadline
)

// errHostCalls ends a call that made too many.
var errHostCalls = errors.New("the guest made too many calls of the host")

// A guestCall is one call of a guest as the host functions see it: what it may
// use, what it has used, its input and its output. It is used by one goroutine.
type guestCall struct {
	log      hclog.Logger
	limits   *Limits
	services map[string]tool.Service
	notify   func(string)
	caller   context.Context // what services run with; the guest's own, see lease, may last longer
	lease    *lease
	meter    meter

	input  segments
	output []byte
	limit  int // bytes of output; 0 is abi.MaxFrame

	hostCalls int
	pages     uint32 // of memory, at the end
	lines     int    // that were logged
	logged    int    // bytes of them
}

// segments is a queue of bytes that a reader consumes; the pieces of a frame are
// not copied into one.
type segments [][]byte

// copyTo fills dst from the front of the queue and returns how many bytes it
// copied.
func (s *segments) copyTo(dst []byte) int {
	n := 0
	for n < len(dst) && len(*s) > 0 {
		c := copy(dst[n:], (*s)[0])
		n += c
		if (*s)[0] = (*s)[0][c:]; len((*s)[0]) == 0 {
			*s = (*s)[1:]
		}
	}
	return n
}

// frameSegments returns the encoded frame as a queue, and its length.
func frameSegments(f *abi.Frame) (segments, int, error) {
	prefix, err := f.Prefix()
	if err != nil {
		return nil, 0, err
	}
	return append(segments{prefix}, f.Attachments...), f.Size(), nil
}

// count notes a call of the host, or an operation on files. An error ends the
// call.
func (c *guestCall) count() error {
	if c.hostCalls++; c.hostCalls > c.limits.HostCalls {
		return fmt.Errorf("%w: more than %d", errHostCalls, c.limits.HostCalls)
	}
	return nil
}

// countFile notes an operation on files over WASI, and ends the call also when its
// time is over: of one that lists a large directory, in the middle of it.
func (c *guestCall) countFile() error {
	if err := c.count(); err != nil {
		return err
	}
	return c.lease.over()
}

// usage is what the call used.
func (c *guestCall) usage() *abi.Usage {
	return &abi.Usage{Fuel: c.meter.used, HostCalls: c.hostCalls, MemoryPages: c.pages}
}

// write appends to the answer.
func (c *guestCall) write(b []byte) error {
	limit := c.limit
	if limit == 0 {
		limit = abi.MaxFrame
	}
	if len(b) > limit-len(c.output) {
		return abi.ErrFrameSize
	}
	if need := len(c.output) + len(b); need > cap(c.output) {
		// append would grow it by a quarter at a time, and leave five times its size behind.
		grown := make([]byte, len(c.output), min(limit, max(need, 2*cap(c.output))))
		copy(grown, c.output)
		c.output = grown
	}
	c.output = slices.Grow(c.output, len(b))
	for ; len(b) > outputPiece; b = b[outputPiece:] {
		c.output = append(c.output, b[:outputPiece]...)
		if err := c.lease.over(); err != nil {
			return err
		}
	}
	c.output = append(c.output, b...)
	return nil
}

// logLine hands a guest's line to the host's logger, quoted, as far as the limits
// of a call allow.
func (c *guestCall) logLine(level int, b []byte) {
	b = b[:min(len(b), logLineMax)]
	c.lines++
	c.logged += len(b)
	over := func(lines, bytes int) bool { return lines > c.limits.LogLines || bytes > c.limits.LogBytes }
	if over(c.lines, c.logged) {
		if !over(c.lines-1, c.logged-len(b)) {
			c.log.Warn("further lines of this call are dropped")
		}
		return
	}
	line := hclog.Quote(validUTF8(b))
	c.log.Log(hclog.Trace+hclog.Level(min(max(level, abi.LogTrace), abi.LogError)), "guest", "says", line)
}

func (c *guestCall) progress(b []byte) {
	if c.notify != nil && len(b) <= progressMax && utf8.Valid(b) {
		c.notify(string(b))
	}
}

// invoke answers a service call: the length of the answer, which becomes the
// input, or a negative code of package abi. An error ends the call.
func (c *guestCall) invoke(b []byte) (int64, error) {
	req, err := abi.DecodeFrame(b)
	if err != nil {
		return abi.RefusedMalformed, nil
	}
	name, err := serviceName(req.Header)
	if err != nil {
		return abi.RefusedMalformed, nil
	}
	svc, ok := c.services[name]
	if !ok {
		return abi.RefusedService, nil
	}
	answer, err := c.serve(svc, req)
	if err != nil {
		return 0, fmt.Errorf("service %s: %w", name, err)
	}
	segs, n, err := frameSegments(answer)
	if errors.Is(err, abi.ErrFrameSize) || errors.Is(err, abi.ErrFrameAttachments) {
		return abi.RefusedLimit, nil
	}
	if err != nil {
		return 0, err
	}
	c.input = segs
	return int64(n), nil
}

// serve runs a service for as long as the lease allows.
func (c *guestCall) serve(svc tool.Service, req *abi.Frame) (*abi.Frame, error) {
	if err := c.lease.begin(); err != nil {
		return nil, err
	}
	answer, err := svc.Invoke(c.caller, req)
	s, ok := svc.(interface{ changed() bool })
	c.lease.done(ok && s.changed())
	if err != nil {
		err = stopped(c.caller, err)
	}
	return answer, err
}

// yield takes what the guest has left of its fuel and returns its next grant, or
// why the call is over. The collector is let in by the way from the guest to here.
func (c *guestCall) yield(left int64) (int64, error) {
	if err := c.lease.over(); err != nil {
		return 0, err
	}
	return c.meter.refill(left)
}

// stopped returns why a call ended: the context's cause where it ended, what a
// host function said, or err.
func stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var s stop
	if errors.As(err, &s) {
		return s.error
	}
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		// Security: with two of its codes it passes for the end of a context.
		return errors.New(err.Error())
	}
	return err
}

// stack is what wazero says of err after its first line.
func stack(err error) string {
	_, stack, _ := strings.Cut(err.Error(), "\n")
	return stack
}

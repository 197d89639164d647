package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

const (
	stderrKept  = 64 << 10 // bytes of a guest's standard error kept for reports
	logLineMax  = 4 << 10  // bytes of one logged line
	logLinesMax = 1000     // lines of one call
	progressMax = 4 << 10  // bytes of one progress text
)

// An instance is a module instantiated for one call, and what the host keeps of
// that call. It is used by one goroutine.
type instance struct {
	log      hclog.Logger
	services map[string]tool.Service
	notify   func(string)
	caller   context.Context // what services run with; the guest's own, see lease, may last longer
	lease    *lease

	input  segments
	output []byte
	limit  int // bytes of output; 0 is abi.MaxFrame
	stderr tail
	lines  int
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

// run makes a fresh instance of the module on the file system fsys, calls the
// export with the input frame (nil: an export without parameters), and returns
// the frame that it output. Errors are causes for a FaultError; detail is what
// the guest left on its standard error.
func (m *module) run(ctx context.Context, in *instance, fsys sys.FS, export string, input *abi.Frame) (answer *abi.Frame, detail string, err error) {
	in.caller = ctx
	ctx, in.lease = newLease(ctx)
	defer in.lease.release()
	if m.native != nil {
		answer, err = m.native.run(in, export, input)
		return answer, "", err
	}
	code, rt, err := m.code(in.caller)
	if err != nil {
		return nil, "", err
	}
	args := []uint64{}
	if input != nil {
		var n int
		if in.input, n, err = frameSegments(input); err != nil {
			return nil, "", err
		}
		args = append(args, uint64(n))
	}
	ctx = context.WithValue(ctx, instanceKey{}, in)
	memory := &arena{}
	ctx = experimental.WithMemoryAllocator(ctx, memory)
	defer memory.free()
	mod, err := rt.InstantiateModule(ctx, code, in.config(ctx, fsys))
	if err != nil {
		return nil, in.detail(err), stopped(ctx, err)
	}
	defer mod.Close(context.WithoutCancel(ctx))
	res, err := mod.ExportedFunction(export).Call(ctx, args...)
	switch {
	case err != nil:
		return nil, in.detail(err), stopped(ctx, err)
	case ctx.Err() != nil:
		return nil, in.detail(nil), context.Cause(ctx)
	case uint32(res[0]) != 0:
		return nil, in.detail(nil), fmt.Errorf("%s returned %d", export, int32(res[0]))
	}
	if answer, err = abi.DecodeFrame(in.output); err != nil {
		return nil, in.detail(nil), fmt.Errorf("the guest's answer: %w", err)
	}
	return answer, in.detail(nil), nil
}

// detail is what wazero says of err after its first line, the guest's stack, and
// the end of the guest's standard error.
func (in *instance) detail(err error) string {
	var stack string
	if err != nil {
		_, stack, _ = strings.Cut(err.Error(), "\n")
	}
	return strings.Trim(stack+"\n"+in.stderr.String(), "\n")
}

// config is the same for every instance but for the files and the pipes: no
// arguments, no environment, real clocks and random numbers.
func (in *instance) config(ctx context.Context, fsys sys.FS) wazero.ModuleConfig {
	cfg := wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions(abi.ExportInitialize).
		WithArgs("plugin").
		WithStdout(&in.stderr).WithStderr(&in.stderr).
		WithSysWalltime().WithSysNanotime().
		WithNanosleep(func(ns int64) {
			select {
			case <-time.After(time.Duration(ns)):
			case <-ctx.Done():
			}
		}).
		WithRandSource(rand.Reader)
	if fsys != nil {
		cfg = cfg.WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(fsys, "/"))
	}
	return cfg
}

// stopped returns why a call ended: the context's cause where it ended, for
// wazero reports that as an exit, else err.
func stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (in *instance) write(b []byte) error {
	limit := in.limit
	if limit == 0 {
		limit = abi.MaxFrame
	}
	if len(in.output)+len(b) > limit {
		return abi.ErrFrameSize
	}
	in.output = append(in.output, b...)
	return nil
}

// logLine hands a guest's line to the host's logger, quoted, as far as the limits
// of a call allow.
func (in *instance) logLine(level int, b []byte) {
	if in.lines++; in.lines > logLinesMax {
		if in.lines == logLinesMax+1 {
			in.log.Warn("further lines of this call are dropped")
		}
		return
	}
	line := hclog.Quote(validUTF8(b[:min(len(b), logLineMax)]))
	in.log.Log(hclog.Trace+hclog.Level(min(max(level, abi.LogTrace), abi.LogError)), "guest", "says", line)
}

func (in *instance) progress(b []byte) {
	if in.notify != nil && len(b) <= progressMax && utf8.Valid(b) {
		in.notify(string(b))
	}
}

// invoke answers a service call: the length of the answer, which becomes the
// input, or a negative code of package abi. An error ends the call.
func (in *instance) invoke(b []byte) (int64, error) {
	req, err := abi.DecodeFrame(b)
	if err != nil {
		return abi.RefusedMalformed, nil
	}
	name, err := serviceName(req.Header)
	if err != nil {
		return abi.RefusedMalformed, nil
	}
	svc, ok := in.services[name]
	if !ok {
		return abi.RefusedService, nil
	}
	answer, err := in.serve(svc, req)
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
	in.input = segs
	return int64(n), nil
}

// serve runs a service for as long as the lease allows.
func (in *instance) serve(svc tool.Service, req *abi.Frame) (*abi.Frame, error) {
	if err := in.lease.begin(); err != nil {
		return nil, err
	}
	answer, err := svc.Invoke(in.caller, req)
	c, ok := svc.(interface{ changed() bool })
	in.lease.done(ok && c.changed())
	if err != nil {
		err = stopped(in.caller, err)
	}
	return answer, err
}

// A tail keeps the last bytes written to it.
type tail struct{ b []byte }

// Write keeps p, or what fits of its end.
func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p[max(0, len(p)-stderrKept):]...)
	if over := len(t.b) - stderrKept; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

// String returns what was kept, made valid UTF-8.
func (t *tail) String() string {
	return string(validUTF8(t.b))
}

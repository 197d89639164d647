package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/instrument"
)

// An instance is a module instantiated for one call, and dropped after it.
type instance struct {
	code   *code
	mod    api.Module
	memory *arena
	slot   *slot
}

// instantiate makes an instance. No code of the guest runs.
// The memory may be given; it is freed with the instance, or when there is an error.
func (c *code) instantiate(ctx context.Context, warm *mappedMemory) (*instance, error) {
	in := &instance{code: c, memory: &arena{warm: warm}, slot: &slot{}}
	in.memory.stop = func() bool { return ctx.Err() != nil } // a module may declare all the memory there is
	if c.image != nil && warm == nil {
		in.memory.image = c.image.share()
	}
	var err error
	in.mod, err = c.engine.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, in.memory), c.compiled, in.slot.config())
	if err == nil && c.image != nil {
		err = c.image.thaw(in.mod, c.globals, in.memory.filled)
	}
	if err != nil {
		in.close()
		return nil, fmt.Errorf("instantiate: %w", err)
	}
	return in, nil
}

// close frees the instance.
func (in *instance) close() {
	if in.mod != nil {
		_ = in.mod.Close(context.Background()) // it has nothing open but what the call closes
	}
	in.memory.free()
}

// run makes the one call that the instance is for: of an export with the input
// frame (nil: an export without parameters), on the files given. It returns the
// frame that the guest output; detail is what the guest left on its standard
// error, and its stack.
func (in *instance) run(ctx context.Context, c *guestCall, files sys.FS, export string, input *abi.Frame) (answer *abi.Frame, detail string, err error) {
	in.slot.attach(ctx, files)
	in.memory.stop = func() bool { return ctx.Err() != nil }
	ctx = context.WithValue(ctx, callKey{}, c)
	defer func() {
		c.meter.settle(in.budget())
		c.pages = in.mod.Memory().Size() / pageSize
		detail = strings.Trim(detail+"\n"+in.slot.out.String(), "\n")
	}()
	if init := in.mod.ExportedFunction(abi.ExportInitialize); init != nil && !in.code.started {
		if _, err := init.Call(ctx); err != nil {
			return nil, stack(err), stopped(ctx, err)
		}
	}
	args := []uint64{}
	if input != nil {
		var n int
		if c.input, n, err = frameSegments(input); err != nil {
			return nil, "", err
		}
		args = append(args, uint64(n))
	}
	res, err := in.mod.ExportedFunction(export).Call(ctx, args...)
	switch {
	case err != nil:
		return nil, stack(err), stopped(ctx, err)
	case ctx.Err() != nil:
		return nil, "", context.Cause(ctx)
	case uint32(res[0]) != 0:
		return nil, "", fmt.Errorf("%s returned %d", export, int32(res[0]))
	}
	if answer, err = abi.DecodeFrame(c.output); err != nil {
		return nil, "", fmt.Errorf("the guest's answer: %w", err)
	}
	return answer, "", nil
}

// start runs the start-up code of an instance that will serve no call.
func (in *instance) start(ctx context.Context, c *guestCall) error {
	c.caller = ctx
	ctx, c.lease = newLease(ctx)
	defer c.lease.release()
	in.slot.stop, in.slot.began, in.slot.base = ctx.Done(), time.Now(), 1
	_, err := in.mod.ExportedFunction(abi.ExportInitialize).Call(context.WithValue(ctx, callKey{}, c))
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// budget is what the guest has left of its last grant.
func (in *instance) budget() int64 {
	return int64(in.mod.ExportedGlobal(instrument.ExportBudget).Get())
}

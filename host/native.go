package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/ohhost/ohhost/abi"
)

// A Native is a plugin's code linked into this program instead of a module, for
// tests of plugins (package guesttest): everything around it, the services, the
// grant, the answers, is as for a module, the sandbox is not.
type Native struct {
	// Describe answers oh_describe.
	Describe func() (*abi.Frame, error)
	// Serve answers the input of one oh_call.
	Serve func(input []byte, imports NativeImports) (*abi.Frame, error)
}

// NativeImports are the imports of ohhost_v1 for native code.
type NativeImports interface {
	// Invoke answers a service request, or a negative code of package abi.
	Invoke(frame []byte) (answer []byte, code int64)
	Log(level int, msg string)
	Progress(text string)
}

// LoadNative adds native code's tools as Load does a module's.
func (h *Host) LoadNative(ctx context.Context, name string, n *Native) error {
	m := &module{host: h, name: name, native: n}
	specs, err := m.describe(ctx)
	if err != nil {
		return fmt.Errorf("load %w", err)
	}
	return h.add(m, specs)
}

// run is module.run for native code.
func (n *Native) run(c *guestCall, export string, input *abi.Frame) (*abi.Frame, error) {
	if export == abi.ExportDescribe {
		return n.Describe()
	}
	b, err := input.Append(nil)
	if err != nil {
		return nil, err
	}
	return n.Serve(b, nativeImports{c})
}

// nativeImports are the imports of one call.
type nativeImports struct{ c *guestCall }

// Invoke answers a service request. What would end a module's call panics.
func (n nativeImports) Invoke(frame []byte) ([]byte, int64) {
	length, err := n.c.invoke(frame)
	if err != nil {
		panic(err)
	}
	if length < 0 {
		return nil, length
	}
	answer := slices.Concat(n.c.input...)
	n.c.input = nil
	return answer, length
}

// Log writes a line.
func (n nativeImports) Log(level int, msg string) { n.c.logLine(level, []byte(msg)) }

// Progress tells the user.
func (n nativeImports) Progress(text string) { n.c.progress([]byte(text)) }

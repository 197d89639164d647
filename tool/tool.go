// Package tool is the vocabulary of the host: what a tool is, how it is called,
// where tools come from, what a caller grants them, and the three kinds of
// failure. Whoever offers tools (package host, native/terminal) implements
// Source; whoever uses them (the CLI, the servers) takes them from a Registry.
//
//	reg := tool.NewRegistry(nil)
//	err := reg.Add(source)
//	t, err := reg.Bind(ctx, "file_editor", grant)
//	res, err := t.Call(ctx, &tool.Call{Args: json.RawMessage(`{"command":"view","path":"/w"}`)})
//
// It is not a plugin system: it knows neither WebAssembly nor files.
package tool

import (
	"context"
	"encoding/json"

	"github.com/ohhost/ohhost/abi"
)

// A Tool is bound to a grant: whoever holds it can call it and cannot widen
// what it may touch. It is safe for concurrent use.
type Tool interface {
	// Spec describes the tool; its description has the working directory filled
	// in. The caller must not change it.
	Spec() *abi.Spec
	// Keys returns the resource keys of a call: calls that share a key must not
	// overlap, a call without keys may run beside any other. Errors as of Call.
	Keys(ctx context.Context, c *Call) ([]string, error)
	// Call runs the tool. The error is an *ArgumentError (nothing ran), a
	// *DeniedError, a *RaisedError or a *FaultError; a failure that the model
	// should read is no error but a Result with IsError set.
	Call(ctx context.Context, c *Call) (*abi.Result, error)
}

// A Call is one use of a tool.
type Call struct {
	// ID is the caller's name for the call, for logs; may be empty.
	ID string
	// Args is a JSON object.
	Args json.RawMessage
	// DryRun asks that nothing be written. Changes are reported to Changed all
	// the same, and the result is what it would have been.
	DryRun bool
	// Progress, if set, is told of small steps while the call runs; it must not
	// block. Steps may be dropped.
	Progress func(text string)
	// Changed, if set, is told of each file that the call changed (or, in a dry
	// run, would have changed), in order, before Call returns. It must not keep
	// the contents.
	Changed func(Change)
}

// A Change is what happened to one file: contents as bytes, nil where there was
// or is no file.
type Change struct {
	Path          string // as resolved, absolute
	Before, After []byte
}

// A Source brings tools.
type Source interface {
	// Specs lists the source's tools. The caller must not change them.
	Specs() []*abi.Spec
	// Bind returns the named tool for a grant. The zero Grant grants nothing. A
	// tool that holds something is an io.Closer, see Release.
	Bind(ctx context.Context, name string, g *Grant) (Tool, error)
	// Close waits for running calls, or cuts them short when ctx ends, and frees
	// what the source holds. Bound tools fail afterwards.
	Close(ctx context.Context) error
}

// A Service is what a guest can ask of the host by name: bytes in, bytes out.
// Failures that the guest should see are part of the answer (abi, "Services");
// an error ends the call as a fault.
type Service interface {
	// Name is how a request names the service.
	Name() string
	// Invoke answers one request. The frames' bytes may be used until the next
	// Invoke of the same call only.
	Invoke(ctx context.Context, req *abi.Frame) (*abi.Frame, error)
}

// A Middleware wraps a tool. Wrappers are put on in the order of Registry.Use:
// the first is the outermost.
type Middleware func(Tool) Tool

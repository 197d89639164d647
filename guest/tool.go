package guest

import "github.com/ohhost/ohhost/abi"

// A Tool is one tool of a plugin.
type Tool struct {
	// Spec describes the tool. Its Name is how calls reach it.
	Spec abi.Spec
	// SpecJSON, if set, is what is published in place of Spec, of which only Name
	// is then needed: the JSON of a whole abi.Spec, made by a generator and
	// embedded, so that the plugin needs no schema code.
	SpecJSON string
	// Call does the work. The error may be a *DeniedError, a *ToolError or a
	// *RaisedError; any other is answered like a *RaisedError. A panic is a fault
	// of the plugin: the host reports it and the instance is gone.
	Call func(c *Call) (*abi.Result, error)
	// Keys names the resources that a call works on: calls with a common key do
	// not overlap, one without keys runs beside any other. Nil is no keys. Errors
	// as of Call.
	Keys func(c *Call) ([]string, error)
}

// A Call is one use of a tool. It is valid until the tool returns.
type Call struct {
	ID   string // the caller's name for the call; may be empty
	CWD  string // the working directory as raw bytes, which need not be UTF-8
	Args Object // checked against the tool's schema
	host Host
}

// Files returns the service of granted files.
func (c *Call) Files() Files { return Files{c.host} }

// State returns the service of the session's values.
func (c *Call) State() State { return State{c.host} }

// Log writes one line to the host's log, at a level of package abi (LogTrace …
// LogError).
func (c *Call) Log(level int, msg string) { c.host.Log(level, msg) }

// Progress tells the waiting user of a small step: a text or JSON. It may be
// dropped.
func (c *Call) Progress(text string) { c.host.Progress(text) }

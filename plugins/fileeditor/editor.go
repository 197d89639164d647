package main

import (
	"errors"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// maxSize is the largest file in bytes that is read or written.
const maxSize = 10 << 20

// An editor is one call of the tool.
type editor struct {
	files   guest.Files
	cwd     string
	args    guest.Object
	command string
	path    string // as pathlib prints it: the name in every text and of the history
	listed  int    // how many entries the last listing had
}

func call(c *guest.Call) (*abi.Result, error) {
	e := newEditor(c)
	res, err := e.run()
	if text, ok := errors.AsType[*guest.ToolError](err); ok {
		return e.result(text.Text, true), nil
	}
	if denied, ok := errors.AsType[*guest.DeniedError](err); ok {
		denied.Write = e.command != "view"
	}
	return res, err
}

func newEditor(c *guest.Call) *editor {
	e := &editor{files: c.Files(), cwd: c.CWD, args: c.Args}
	e.command, _ = c.Args.Str("command")
	path, _ := c.Args.Str("path")
	e.path = printPath(path)
	return e
}

// run checks the path (spec/tools.md, "Order of checks") and does what the
// command says. Errors that the model should read are *guest.ToolError.
func (e *editor) run() (*abi.Result, error) {
	kind, err := e.checkPath()
	if err != nil {
		return nil, err
	}
	switch e.command {
	case "view":
		if kind == abi.TypeDir {
			return e.viewDir()
		}
		return e.view()
	case "create":
		return e.create()
	case "str_replace":
		return e.replace()
	case "insert":
		return e.insert()
	default: // the schema leaves no other
		return e.undo()
	}
}

// result makes the observation of a call that changed nothing, or of an error.
func (e *editor) result(text string, isError bool) *abi.Result {
	path := guest.StringField("path", e.path)
	if isError {
		path = guest.NullField("path")
	}
	return &abi.Result{
		Content: []abi.Part{{Text: text}},
		IsError: isError,
		Fields: []abi.Field{
			guest.StringField("command", e.command), path, guest.BoolField("prev_exist", true),
			guest.NullField("old_content"), guest.NullField("new_content"),
		},
	}
}

// edited makes the observation of a change. The whole texts are the host's.
func (e *editor) edited(text string, c *guest.Changed) *abi.Result {
	if c.ConvertedFrom != "" {
		text += noteConverted(c.ConvertedFrom)
	}
	return &abi.Result{
		Content: []abi.Part{{Text: text}},
		Fields: []abi.Field{
			guest.StringField("command", e.command), guest.StringField("path", e.path), guest.BoolField("prev_exist", true),
			guest.BlobField("old_content", c.OldText), guest.BlobField("new_content", c.NewText),
		},
	}
}

// readText reads the file and makes the checks of spec/tools.md, "File checks".
// undecodable makes the text for a file that is no text in any encoding: a view
// and an edit have one each.
func (e *editor) readText(undecodable func(path, reason string) string) (*guest.FileText, error) {
	t, err := e.files.ReadText(e.path, maxSize)
	if err != nil {
		return nil, e.fileError(err, ranIntoRead)
	}
	if isBinary(e.path, t) {
		return nil, fail(validationFailed(e.path, reasonBinary))
	}
	if t.Undecodable != "" {
		return nil, fail(undecodable(e.path, t.Undecodable))
	}
	return t, nil
}

// edit applies one splice to what was read, if the file still is that and stays
// small enough, and keeps the bytes from before on the history.
func (e *editor) edit(t *guest.FileText, s guest.Splice) (*guest.Changed, error) {
	c := guest.Edit(e.path, s)
	c.Expect, c.Max, c.History = t.Digest, maxSize, e.path
	changed, err := e.files.Apply(c)
	if err != nil {
		return nil, e.fileError(err, ranIntoWrite)
	}
	return &changed[0], nil
}

// fileError turns what the files service refused into the text for the model;
// a denial stays one. ranInto makes the text for what has none of its own.
func (e *editor) fileError(err error, ranInto func(path, reason string) string) error {
	f, ok := errors.AsType[*guest.FileError](err)
	if !ok {
		return err
	}
	switch f.Kind {
	case abi.ErrTooLarge:
		return fail(validationFailed(e.path, reasonTooLarge(f.Size)))
	case abi.ErrNotRegular:
		return fail(validationFailed(e.path, reasonNotRegular))
	case abi.ErrChanged:
		return fail(ranInto(e.path, "the file was changed since it was read"))
	case abi.ErrEncodingUnknown:
		return fail(ranInto(e.path, "the file's encoding is not known"))
	case abi.ErrOS:
		return fail(ranInto(e.path, osError(f, e.path)))
	}
	return fail(ranInto(e.path, f.Message))
}

func fail(text string) error { return &guest.ToolError{Text: text} }

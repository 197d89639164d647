package main

import (
	"errors"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// undo gives back the bytes from before the newest edit under this spelling of
// the path, unless the file is not what that edit wrote (FE-36).
func (e *editor) undo() (*abi.Result, error) {
	t, err := e.readText(ranIntoRead)
	if err != nil {
		return nil, err
	}
	c := guest.Undo(e.path, e.path)
	c.Expect = t.Digest
	changed, err := e.files.Apply(c)
	if f, ok := errors.AsType[*guest.FileError](err); ok {
		switch f.Kind {
		case abi.ErrNoUndo:
			return nil, fail("No edit history found for " + e.path + ".")
		case abi.ErrChanged:
			return nil, fail("The last edit to " + e.path +
				" was not undone: the file has been changed since this tool wrote it. The file is left as it is.")
		}
	}
	if err != nil {
		return nil, e.fileError(err, ranIntoWrite)
	}
	var text []byte
	if b := changed[0].NewText; b != guest.NoBlob {
		if text, err = e.files.Text(b); err != nil {
			return nil, err
		}
	}
	return e.edited("Last edit to "+e.path+" undone successfully. "+catOf(e.path)+numbered(text, 1), &changed[0]), nil
}

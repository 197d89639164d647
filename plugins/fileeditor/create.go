package main

import (
	"errors"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// create writes a new file. The created text itself goes onto the history, so
// that undoing an edit of it and then the creation gives it back.
func (e *editor) create() (*abi.Result, error) {
	text, ok := e.args.Str("file_text")
	if !ok {
		return nil, fail(missing("file_text", e.command))
	}
	if strings.IndexByte(e.path, 0) >= 0 {
		return nil, fail(ranIntoWrite(e.path, "open: embedded null character in path"))
	}
	if !e.onHost() {
		return nil, fail(ranIntoWrite(e.path, "[Errno 2] No such file or directory: "+pyRepr(e.path)))
	}
	c := guest.Put(e.path, guest.Bytes(text))
	c.Expect, c.Max, c.History, c.HistoryNew = abi.Absent, maxSize, e.path, true
	if _, err := e.files.Apply(c); err != nil {
		if f, ok := errors.AsType[*guest.FileError](err); ok && f.Kind == abi.ErrChanged {
			return nil, fail(invalidPath(e.path, hintExists(e.path))) // made by others meanwhile
		}
		return nil, e.fileError(err, ranIntoWrite)
	}
	return &abi.Result{
		Content: []abi.Part{{Text: "File created successfully at: " + e.path}},
		Fields: []abi.Field{
			guest.StringField("command", e.command), guest.StringField("path", e.path), guest.BoolField("prev_exist", false),
			guest.NullField("old_content"), guest.StringField("new_content", text),
		},
	}, nil
}

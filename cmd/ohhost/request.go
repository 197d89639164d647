package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ohhost/ohhost/tool"
)

// A request is one line of a batch.
type request struct {
	id   []byte // any JSON value, echoed as it is
	tool string
	args []byte
}

// parseRequest reads {"id", "tool", "args"}: names are case-sensitive, others
// are ignored, of a repeated one the last counts, args may be left out. The
// request is never nil; after an error its id is null.
func parseRequest(text []byte) (*request, error) {
	bad := &request{id: []byte("null")}
	if !utf8.Valid(text) {
		return bad, badRequestError{errors.New("not UTF-8")}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return bad, badRequestError{fmt.Errorf("not a call: %w", explain(text))}
	}
	name, ok := fields["tool"]
	if !ok {
		return bad, badRequestError{errors.New(`the call names no "tool"`)}
	}
	r := &request{id: []byte("null"), args: []byte("{}")}
	if name[0] != '"' || json.Unmarshal(name, &r.tool) != nil {
		return bad, badRequestError{errors.New(`"tool" is not a string`)}
	}
	if id, ok := fields["id"]; ok {
		r.id = id
	}
	if args, ok := fields["args"]; ok && string(args) != "null" {
		r.args = args
	}
	return r, nil
}

// explain says with the column why a line is no JSON object.
func explain(text []byte) error {
	var syntax *tool.SyntaxError
	switch _, err := tool.DecodeObject(text); {
	case errors.As(err, &syntax):
		return fmt.Errorf("column %d: %s", syntax.Column, syntax.Msg)
	case err != nil:
		return err
	}
	return errors.New("want a JSON object")
}

// callID is the id for logs, empty when there is none.
func (r *request) callID() string {
	if string(r.id) == "null" {
		return ""
	}
	return string(r.id[:min(len(r.id), 64)])
}

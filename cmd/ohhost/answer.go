package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// An answer is how a call ended, in JSON (architecture, "One call").
type answer struct {
	id     []byte // JSON; nil leaves it out
	result *abi.Result
	diff   *diff // nil leaves it out
	usage  bool  // say what a result cost
	err    error
}

// write writes the answer as one line. A result that cannot be shown becomes a
// fault; an error is the writer's.
func (ans *answer) write(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	w.WriteByte('{')
	if ans.id != nil {
		w.WriteString(`"id":`)
		w.Write(tool.EscapeControls(ans.id))
		w.WriteByte(',')
	}
	err := ans.err
	if err == nil {
		// Only a result that cannot be shown fails before it is written to.
		obs := &prefixed{w: w, prefix: `"observation":`}
		if err = tool.WriteObservation(obs, ans.result); obs.prefix == "" {
			err = nil // the writer's errors come back from Flush
		}
	}
	if err != nil {
		w.WriteString(`"error":{"kind":`)
		w.Write(tool.AppendString(nil, kind(err)))
		w.WriteString(`,"message":`)
		w.Write(tool.AppendString(nil, err.Error()))
		w.WriteByte('}')
	}
	if ans.diff != nil {
		w.WriteString(`,"diff":`)
		w.Write(tool.AppendString(nil, ans.diff.String()))
	}
	if err == nil && ans.usage && ans.result.Usage != nil {
		if b, failed := json.Marshal(ans.result.Usage); failed == nil {
			w.WriteString(`,"usage":`)
			w.Write(b)
		}
	}
	w.WriteString("}\n")
	return w.Flush()
}

// A badRequestError is a line of a batch that is no call.
type badRequestError struct{ error }

func kind(err error) string {
	var bad badRequestError
	if errors.As(err, &bad) {
		return tool.KindBadRequest
	}
	return tool.Kind(err)
}

// prefixed writes something before the first bytes.
type prefixed struct {
	w      io.Writer
	prefix string
}

// Write implements io.Writer.
func (p *prefixed) Write(b []byte) (int, error) {
	if p.prefix != "" {
		if _, err := io.WriteString(p.w, p.prefix); err != nil {
			return 0, err
		}
		p.prefix = ""
	}
	return p.w.Write(b)
}

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ohhost/ohhost/tool"
)

// byteOrderMark is what some editors put before a text in UTF-8; it is no JSON.
const byteOrderMark = "\ufeff"

// readArgs returns the arguments of a call: none is the empty object.
func (a *app) readArgs(args []string) ([]byte, error) {
	if len(args) == 0 {
		return []byte("{}"), nil
	}
	switch file, isFile := strings.CutPrefix(args[0], "@"); {
	case args[0] == "-":
		return readAll(a.in, "standard input")
	case isFile:
		f, err := os.Open(file)
		if err != nil {
			return nil, &usageError{err: err, hint: "@FILE reads the arguments from a file"}
		}
		defer f.Close()
		return readAll(f, file)
	}
	return []byte(args[0]), nil
}

// readAll reads no more than arguments may have, and skips a byte order mark.
func readAll(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, tool.MaxArguments+1))
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("read arguments: %w", err)}
	}
	if len(b) > tool.MaxArguments {
		return nil, usagef("", "%s: arguments over the limit of %d bytes", name, tool.MaxArguments)
	}
	return bytes.TrimPrefix(b, []byte(byteOrderMark)), nil
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// show prints a result for people and pipes: the text that the model would
// read with a final newline; on a terminal then the diff, and in a dry run
// nothing but the diff if there is one.
func (a *app) show(res *abi.Result, diff *diff, dryRun bool) error {
	w := bufio.NewWriter(a.out)
	changes := diff.String()
	if !dryRun || res.IsError || changes == "" {
		text := tool.ModelText(res)
		if a.outTerm.is {
			text = clean(text)
		}
		w.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			w.WriteByte('\n')
		}
		if changes != "" {
			w.WriteByte('\n')
		}
	}
	if a.outTerm.is {
		changes = clean(changes)
	}
	if a.outTerm.color {
		changes = paint(changes)
	}
	w.WriteString(changes)
	return w.Flush()
}

// detail prints what is known of a fault beyond its one line.
func (a *app) detail(err error, verbose bool) {
	var fault *tool.FaultError
	if verbose && errors.As(err, &fault) && fault.Detail != "" {
		fmt.Fprintln(a.err, strings.TrimRight(clean(fault.Detail), "\n"))
	}
}

// printJSON prints a value for people and programs.
func (a *app) printJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(tool.EscapeControls(b.Bytes()))
	return err
}

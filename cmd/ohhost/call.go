package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// defaultTimeout is how long a call may take: more than any call of a tool on
// files needs, so that an endless plugin does not hang the caller.
const defaultTimeout = 30 * time.Second

// oneCallGC is the collector's percentage for a process that makes one call: most
// of what it allocates is a module's code, which stays.
const oneCallGC = 400

// A callFlags holds the flags of call.
type callFlags struct {
	load    loadFlags
	grants  grantFlags
	json    bool
	dryRun  bool
	batch   bool
	timeout time.Duration
}

func (a *app) callCommand() *cobra.Command {
	var f callFlags
	c := &cobra.Command{
		Use:   "call TOOL [ARGS|-|@FILE] | call --batch",
		Short: "Call a tool",
		Long: `Call a tool with a JSON object of arguments: on the command line, from standard
input (-), or from a file (@FILE).

The tool may read and change the files of the workspace (the current directory,
or -C DIR) and nothing else; --grant adds to that, and of two grants for one path
the last one counts; --deny takes away. Calls in one workspace share a session,
so that undo works in the next call.

Standard output gets the text that a model would read (images need --json), on a
terminal followed by a diff of what changed; with --json an object with
"observation" or "error"; with --dry-run the diff of what would change (with
--json as "diff"), and nothing is written.

With --batch, standard input holds one call a line,
    {"id": 1, "tool": "file_editor", "args": {"command": "view", "path": "/w"}}
and standard output gets one answer a line as each call ends, {"id", "observation"}
or {"id", "error": {"kind", "message"}}. Calls run side by side unless they need
the same files; those run in the order given. A line that is no call is answered
with kind bad_request, a null id and the line's number.`,
		Example: `  ohhost call file_editor '{"command": "view", "path": "'"$PWD"'/main.go"}'
  ohhost call file_editor @edit.json --dry-run
  ohhost call --batch -C ~/project --grant ro:/usr/include < calls.jsonl`,
		Args: positional(func(c *cobra.Command, args []string) error {
			switch {
			case f.batch && len(args) > 0:
				return errors.New("--batch takes calls from standard input, not from the command line")
			case !f.batch && len(args) == 0:
				return errors.New("which tool? (`ohhost tools` lists them)")
			case len(args) > 2:
				return fmt.Errorf("%d arguments: want a tool and one JSON object in quotes", len(args))
			}
			return checkTimeout(f.timeout)
		}),
		ValidArgsFunction: a.completeTool,
		RunE: func(c *cobra.Command, args []string) (err error) {
			grant, err := f.grants.grant()
			if err != nil {
				return err
			}
			var input []byte
			if !f.batch {
				if input, err = a.readArgs(args[1:]); err != nil {
					return err
				}
			}
			if f.load.once = !f.batch; f.load.once && os.Getenv("GOGC") == "" {
				debug.SetGCPercent(oneCallGC)
			}
			reg, err := a.openTools(c.Context(), &f.load, f.timeout)
			if err != nil {
				return err
			}
			defer closeTools(c.Context(), reg, &err)
			if f.batch {
				return newBatch(a, reg, grant, &f).run(c.Context())
			}
			err = a.call(c.Context(), reg, grant, args[0], input, &f)
			var arg *tool.ArgumentError
			if len(args) == 1 && !a.inTerm.is && errors.As(err, &arg) {
				err = &usageError{err: err, hint: "use - to read the arguments from standard input"}
			}
			return err
		},
	}
	f.load.add(c.Flags())
	f.grants.add(c.Flags())
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would change and write nothing")
	c.Flags().BoolVar(&f.batch, "batch", false, "read calls from standard input, one JSON object a line")
	c.Flags().Uint64Var(&f.load.fuel, "fuel", 0, "end each call whose plugin has used `N` units of computing, about one a simple instruction; with --json an answer has what was used as \"usage\"; 0 for no limit")
	c.Flags().DurationVar(&f.timeout, "timeout", defaultTimeout, "cut each call off after this `DURATION`, and the loading of plugins; 0 for never")
	return c
}

// call makes one call and shows how it ended.
func (a *app) call(ctx context.Context, reg *tool.Registry, grant *tool.Grant, name string, args []byte, f *callFlags) error {
	diff := newDiff(grant.Workspace)
	res, err := func() (*abi.Result, error) {
		t, err := reg.Bind(ctx, name, grant)
		if err != nil {
			return nil, err
		}
		c := &tool.Call{Args: args, DryRun: f.dryRun}
		if a.errTerm.is {
			c.Progress = a.progress
		}
		if f.dryRun || a.outTerm.is && !f.json {
			c.Changed = diff.add
		}
		return t.Call(ctx, c)
	}()
	if f.json {
		ans := answer{result: res, err: err, usage: f.load.fuel > 0}
		if f.dryRun {
			ans.diff = diff
		}
		if err := ans.write(a.out); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		a.detail(err, f.load.verbose)
		if f.json {
			return shownError{err}
		}
		return err
	case !f.json:
		if err := a.show(res, diff, f.dryRun); err != nil {
			return err
		}
	}
	if res.IsError {
		return errToolFailed
	}
	return nil
}

// completeTool lists the tools for a shell.
func (a *app) completeTool(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	reg, err := a.openTools(c.Context(), &loadFlags{}, 0)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer closeTools(c.Context(), reg, &err)
	var names []string
	for _, s := range reg.Specs() {
		names = append(names, s.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

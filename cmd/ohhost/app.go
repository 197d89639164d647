package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/internal/selftest"
	"github.com/ohhost/ohhost/tool"
)

// An app is the command line with all that it touches, so that tests can hand
// it something else.
type app struct {
	in       io.Reader
	out, err io.Writer

	inTerm, outTerm, errTerm term // what in, out and err are

	// open brings the tools.
	open func(ctx context.Context, o *openOptions) (*tool.Registry, error)
	// selftest attacks this machine's host.
	selftest func(ctx context.Context, o *selftest.Options) (*selftest.Report, error)
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		plainUsages(root)
	}
	return a.finish(ctx, root.ExecuteContext(ctx))
}

func (a *app) rootCommand() *cobra.Command {
	var asVersion bool
	root := &cobra.Command{
		Use:   "ohhost",
		Short: "Run the tools of coding agents, confined to granted files",
		Long: `ohhost runs the tools of coding agents as WebAssembly plugins that can touch
nothing but the files you grant. It brings a file editor; --plugin adds others.`,
		Example: `  ohhost tools
  ohhost call file_editor '{"command": "view", "path": "'"$PWD"'"}'`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if asVersion && len(args) == 0 {
				return a.printVersion()
			}
			return group(c, args)
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.Flags().BoolVar(&asVersion, "version", false, "print the version")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{err: err, hint: "see " + c.CommandPath() + " --help"}
	})
	root.AddCommand(a.callCommand(), a.toolsCommand(), a.pluginCommand(), a.selftestCommand(), a.versionCommand())
	strictDefaults(root)
	return root
}

// group is what a command does that only holds others.
func group(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("see "+c.CommandPath()+" --help", "unknown command %q for %s", args[0], c.CommandPath())
	}
	return c.Help()
}

// positional makes a usage error of what a check of positional arguments says.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &usageError{err: err, hint: "see " + c.CommandPath() + " --help"}
		}
		return nil
	}
}

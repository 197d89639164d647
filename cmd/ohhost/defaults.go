package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// strictDefaults adds the commands that cobra would add by itself, help and
// completion, and makes their mistakes usage errors, as those of ours are.
func strictDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Run, c.RunE = nil, help
		case "completion":
			c.Args, c.RunE = cobra.ArbitraryArgs, group
			for _, shell := range c.Commands() {
				shell.Args = positional(shell.Args)
			}
		}
	}
}

// help shows the help of the command that the arguments name.
func help(c *cobra.Command, args []string) error {
	of, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return usagef("see "+c.Root().Name()+" --help", "no such command: %s", strings.Join(args, " "))
	}
	of.InitDefaultHelpFlag()
	return of.Help()
}

// plainUsages removes the quotes around the names of values, which a shell would
// show in completions.
func plainUsages(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, sub := range c.Commands() {
		plainUsages(sub)
	}
}

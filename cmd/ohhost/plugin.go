package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/host"
)

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Look at plugins",
		Args:  cobra.ArbitraryArgs,
		RunE:  group,
	}
	c.AddCommand(a.inspectCommand())
	return c
}

func (a *app) inspectCommand() *cobra.Command {
	var (
		asJSON, verbose bool
		timeout         time.Duration
	)
	c := &cobra.Command{
		Use:   "inspect FILE.wasm",
		Short: "Show what a module is, imports and offers",
		Long: `Show what a module is, imports and offers. It is compiled and asked for its
tools, without any files, services or cache; one that the host would refuse is
refused here with the reason.`,
		Args: positional(cobra.MatchAll(cobra.ExactArgs(1), func(*cobra.Command, []string) error { return checkTimeout(timeout) })),
		RunE: func(c *cobra.Command, args []string) error {
			wasm, err := readModule(args[0])
			if err != nil {
				return err
			}
			ctx, cancel := limit(c.Context(), timeout)
			defer cancel()
			info, err := host.Inspect(ctx, wasm)
			if err != nil {
				a.detail(err, verbose)
				return &usageError{err: fmt.Errorf("%s: %w", args[0], overdue(ctx, timeout, err))}
			}
			if asJSON {
				return a.printInspectionJSON(info)
			}
			return a.printInspection(info)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print all that is known of a refusal")
	c.Flags().DurationVar(&timeout, "timeout", defaultTimeout, "give up after this `DURATION`; 0 for never")
	return c
}

func (a *app) printInspectionJSON(info *host.Inspection) error {
	return a.printJSON(map[string]any{
		"size": info.Size, "sha256": info.SHA256, "imports": info.Imports, "exports": info.Exports, "tools": info.Tools,
		"warnings": append([]string{}, info.Hidden()...),
	})
}

func (a *app) printInspection(info *host.Inspection) error {
	var b strings.Builder
	fmt.Fprintf(&b, "size     %d bytes\nsha256   %s\n", info.Size, info.SHA256)
	fmt.Fprintf(&b, "imports  %s\n", list(info.Imports))
	fmt.Fprintf(&b, "exports  %s\n", list(info.Exports))
	for _, s := range info.Tools {
		fmt.Fprintf(&b, "tool     %s (%s)\n", cleanLine(s.Name), needs(&s.Needs))
	}
	for _, warning := range info.Hidden() {
		fmt.Fprintf(&b, "warning  %s\n", cleanLine(warning))
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return cleanLine(strings.Join(names, " "))
}

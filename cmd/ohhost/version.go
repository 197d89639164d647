package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/abi"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  positional(cobra.NoArgs),
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.out, "ohhost %s (%s %s/%s, %s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, abi.Version)
	return err
}

// version is that of the module, as the go command recorded it, with the commit
// for a build from a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if rev := set["vcs.revision"]; v == "(devel)" && rev != "" {
		v = rev[:min(12, len(rev))]
		if set["vcs.modified"] == "true" {
			v += "+dirty"
		}
	}
	return v
}

package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

func (a *app) toolsCommand() *cobra.Command {
	var (
		load   loadFlags
		grants grantFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "tools [TOOL]",
		Short: "List the tools, or show one",
		Long: `List the tools: what each may ask for, and what it does. With the name of a tool,
show its description and its arguments. With --json, as an MCP client sees them:
an array of name, title, description, inputSchema, outputSchema, annotations.
Nothing is compiled for it.`,
		Args:              positional(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeTool,
		RunE: func(c *cobra.Command, args []string) (err error) {
			workspace, err := grants.workspace()
			if err != nil {
				return err
			}
			reg, err := a.openTools(c.Context(), &load, 0)
			if err != nil {
				return err
			}
			defer closeTools(c.Context(), reg, &err)
			specs := reg.Specs()
			if len(args) > 0 {
				if specs, err = named(specs, args[0]); err != nil {
					return err
				}
			}
			switch {
			case asJSON:
				return a.printToolsJSON(specs, workspace.real)
			case len(args) > 0:
				return a.printTool(specs[0], workspace.real)
			}
			return a.printTools(specs, workspace.real)
		},
	}
	load.add(c.Flags())
	grants.addDir(c.Flags(), "the workspace `DIR` that descriptions name (default: the current directory)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// named picks the tool of that name.
func named(specs []*abi.Spec, name string) ([]*abi.Spec, error) {
	var known []string
	for _, s := range specs {
		if s.Name == name {
			return []*abi.Spec{s}, nil
		}
		known = append(known, s.Name)
	}
	return nil, &tool.UnknownToolError{Name: name, Known: known}
}

// listedTool is a tool in MCP's words.
type listedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  abi.JSON        `json:"inputSchema"`
	OutputSchema *abi.JSON       `json:"outputSchema,omitempty"`
	Annotations  abi.Annotations `json:"annotations"`
}

func (a *app) printToolsJSON(specs []*abi.Spec, workspace string) error {
	list := make([]listedTool, len(specs))
	for i, s := range specs {
		list[i] = listedTool{
			Name: s.Name, Title: s.Title,
			Description: describe(s, workspace),
			InputSchema: s.InputSchema, Annotations: s.Annotations,
		}
		if list[i].Title == "" {
			list[i].Title = s.Name
		}
		if len(s.InputSchema) == 0 {
			list[i].InputSchema = abi.JSON(`{"type":"object"}`)
		}
		if len(s.OutputSchema) > 0 {
			list[i].OutputSchema = &s.OutputSchema
		}
	}
	return a.printJSON(list)
}

func (a *app) printTools(specs []*abi.Spec, workspace string) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, s := range specs {
		first, _, _ := strings.Cut(strings.TrimSpace(describe(s, workspace)), "\n")
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, needs(&s.Needs), strings.ReplaceAll(cleanLine(first), "\t", " "))
	}
	return w.Flush()
}

// describe returns a tool's description as a call in the workspace has it.
func describe(s *abi.Spec, workspace string) string {
	return strings.ReplaceAll(s.Description, abi.CWDPlaceholder, workspace)
}

// needs says in words what a tool may ask for.
func needs(n *abi.Needs) string {
	var words []string
	switch n.Files {
	case abi.FilesRead:
		words = append(words, "reads files")
	case abi.FilesWrite:
		words = append(words, "changes files")
	}
	if n.State {
		words = append(words, "keeps state")
	}
	for _, s := range n.Services {
		words = append(words, cleanLine(s))
	}
	if len(words) == 0 {
		return "needs nothing"
	}
	return strings.Join(words, ", ")
}

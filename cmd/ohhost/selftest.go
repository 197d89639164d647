package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ohhost/ohhost/internal/selftest"
)

// errThrough is returned after a report of attacks that got through was shown.
var errThrough = errors.New("an attack got through")

func (a *app) selftestCommand() *cobra.Command {
	var (
		asJSON, verbose bool
		worker          string
	)
	c := &cobra.Command{
		Use:   "selftest [ID...]",
		Short: "Attack this machine's ohhost, and show what stops each attack",
		Long: `Attack this machine's ohhost with hostile plugins and show what stops each attack.
The IDs are those of docs/spec/threats.md; given some, only those are tried. What
cannot be tried on this machine is shown with the reason. It takes less than half a
minute, works in a directory for temporary files and leaves nothing; your files, and
ohhost's own cache and state, are not touched. Exit code 1 when an attack got through.`,
		RunE: func(c *cobra.Command, args []string) error {
			if worker != "" {
				return a.attack(c.Context(), worker, args)
			}
			report, err := a.selftest(c.Context(), &selftest.Options{Worker: a.worker, Progress: a.counter(), Only: args})
			if a.errTerm.is {
				fmt.Fprintf(a.err, counterLine+"\r", "")
			}
			if errors.Is(err, selftest.ErrVector) {
				return &usageError{err: err, hint: "`ohhost selftest` tries all there are"}
			}
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(selftestJSON(report))
			} else {
				err = a.printReport(report, verbose)
			}
			if err == nil && !report.OK() {
				err = errThrough
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "print what was seen of each attack")
	c.Flags().StringVar(&worker, "worker", "", "")
	_ = c.Flags().MarkHidden("worker") // there is such a flag
	return c
}

// worker makes the command of a process that attacks: this program, by the name that
// it was called by.
func (a *app) worker(ctx context.Context, dir string, ids []string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, exe, append([]string{"selftest", "--worker", dir}, ids...)...)
	cmd.Args[0] = os.Args[0]
	return cmd
}

// attack is what a worker does. It ends with the process that watches it.
func (a *app) attack(ctx context.Context, dir string, ids []string) error {
	go func() {
		_, _ = io.Copy(io.Discard, a.in)
		selftest.Abandoned(dir)
		os.Exit(exitFault)
	}()
	return selftest.Work(ctx, dir, ids, a.out)
}

// counterLine writes over what is on a terminal's line.
const counterLine = "\r%-76s"

// counter shows on a terminal which attack is tried now.
func (a *app) counter() func(done, all int, id, title string) {
	if !a.errTerm.is {
		return nil
	}
	return func(done, all int, id, title string) {
		fmt.Fprintf(a.err, counterLine, fmt.Sprintf("%d/%d  %s  %s", done+1, all, id, title))
	}
}

type selftestReport struct {
	Version string            `json:"version"`
	Machine *selftest.Machine `json:"machine"`
	Vectors []selftest.Result `json:"vectors"`
	Later   []selftest.Later  `json:"later"`
	OK      bool              `json:"ok"`
}

func selftestJSON(r *selftest.Report) *selftestReport {
	return &selftestReport{Version: version(), Machine: r.Machine, Vectors: r.Results, Later: append([]selftest.Later{}, r.Later...), OK: r.OK()}
}

// classes are the headings of the report, by the first letter of a vector.
var classes = map[string]string{
	"F": "Files", "R": "Computing, memory and other resources", "A": "Honesty of plugins", "S": "Modules, and the cache of compiled code",
}

// printReport prints a report for people.
func (a *app) printReport(r *selftest.Report, verbose bool) error {
	var b bytes.Buffer
	m := r.Machine
	fmt.Fprintf(&b, "This machine: %s\n", strings.Join(strings.Fields(fmt.Sprintf("%s/%s %s, %d processors", m.OS, m.Arch, m.Kernel, m.CPUs)), " "))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range m.Facts {
		fmt.Fprintf(w, "  %s\t%s\n", f.Name, cleanLine(f.Text))
	}
	_ = w.Flush() // a buffer takes everything
	class := ""
	for _, v := range r.Results {
		if class != v.ID[:1] {
			class = v.ID[:1]
			_ = w.Flush()
			fmt.Fprintf(&b, "\n%s\n", classes[class])
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", v.ID, verdict(v.Outcome), v.Title, cleanLine(wall(&v, verbose)))
	}
	_ = w.Flush()
	if len(r.Later) > 0 {
		fmt.Fprint(&b, "\nNot yet: what these attack does not exist\n")
	}
	for _, l := range r.Later {
		fmt.Fprintf(w, "  %s\t%s\n", l.ID, l.Why)
	}
	_ = w.Flush()
	fmt.Fprintf(&b, "\n%s\n", summary(r))
	_, err := a.out.Write(b.Bytes())
	return err
}

func verdict(o selftest.Outcome) string {
	switch o {
	case selftest.Stopped:
		return "stopped"
	case selftest.Through:
		return "THROUGH"
	}
	return "not tried"
}

// wall is what stopped an attack, or else what is to be said of it.
func wall(v *selftest.Result, verbose bool) string {
	switch {
	case v.Outcome != selftest.Stopped:
		return v.Detail
	case verbose:
		return v.Wall + "; " + v.Detail
	}
	return v.Wall
}

func summary(r *selftest.Report) string {
	text := fmt.Sprintf("%d attacks stopped", r.Count(selftest.Stopped))
	if r.Count(selftest.Stopped) == 1 {
		text = "1 attack stopped"
	}
	if n := r.Count(selftest.NotTried); n > 0 {
		text += fmt.Sprintf(", %d not tried", n)
	}
	if n := r.Count(selftest.Through); n > 0 {
		return text + fmt.Sprintf(", %d GOT THROUGH: do not run plugins that you do not trust, and report this", n)
	}
	return text + ", none got through"
}

// Command ohhost runs the tools of coding agents: WebAssembly plugins that can
// touch nothing but the granted files.
//
//	ohhost tools                                    which tools there are
//	ohhost tools file_editor                        what one does and takes
//	ohhost call file_editor '{"command":"view",…}'  one call
//	ohhost call --batch                             many calls, JSON Lines in and out
//	ohhost plugin inspect my.wasm                   what a module is and wants
//	ohhost selftest                                 attacks itself, shows what stops each attack
//	ohhost version
//
// Standard output is data: the text that a model would read, a diff, or JSON.
// Everything else goes to standard error. Exit codes: 0 it worked, 1 the tool
// answered with an error (or an attack of selftest got through), 2 the command line
// or the arguments are wrong, 3 denied, 4 something is broken; 130 and 143 after an
// interrupt. When nobody reads standard output any more, the command ends quietly
// with 0.
package main

import (
	"context"
	"os"

	"github.com/ohhost/ohhost/internal/selftest"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTerm: newTerm(os.Stdin), outTerm: newTerm(os.Stdout), errTerm: newTerm(os.Stderr),
		open: openHost, selftest: selftest.Run,
	}
	return a.run(ctx, os.Args[1:])
}

//go:build unix

package selftest

import (
	"os/exec"
	"syscall"
)

// alone keeps the terminal's signals from a command: Ctrl-C is for the process that
// watches it, which ends it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

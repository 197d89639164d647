//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// keepPipeErrors lets a write to a closed pipe fail with EPIPE. (Ignoring the
// signal instead would be inherited by child processes.)
func keepPipeErrors() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

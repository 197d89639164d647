//go:build !unix

package main

// keepPipeErrors has nothing to do where there is no SIGPIPE.
func keepPipeErrors() {}

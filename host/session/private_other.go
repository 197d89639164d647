//go:build !unix

package session

import (
	"io/fs"
	"os"
)

// makePrivate has nothing to look at here: permission bits do not exist.
func makePrivate(string, *os.Root, fs.FileInfo) error { return nil }

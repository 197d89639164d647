//go:build unix

package session

import "os"

func syncDir(d *os.File) error { return d.Sync() }

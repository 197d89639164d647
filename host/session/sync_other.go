//go:build !unix

package session

import "os"

// syncDir does nothing: a directory cannot be synced here.
func syncDir(*os.File) error { return nil }

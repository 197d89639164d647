//go:build !linux

package codecache

import "io/fs"

// privateInMemory: there is no $XDG_RUNTIME_DIR in memory on these systems.
func privateInMemory(string, fs.FileInfo) bool { return false }

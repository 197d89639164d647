//go:build unix && !linux

package codecache

// privateGroup: groups of one user are a custom of Linux.
func privateGroup(string, int) bool { return false }

// unmapped: there are no user namespaces.
func unmapped(int) bool { return false }

//go:build !unix

package selftest

import "context"

// tryF11 needs pipes and devices with names.
func tryF11(_ context.Context, w *world) { w.skip("this system has no devices among its files") }

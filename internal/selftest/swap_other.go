//go:build !linux

package selftest

import "os"

// swap lets two names trade places; for a moment one of them is missing.
func swap(a, b string) {
	_ = os.Rename(a, a+"-parked")
	_ = os.Rename(b, a)
	_ = os.Rename(a+"-parked", b)
}

//go:build unix

package changeset

import "testing"

// at runs f whenever Apply reaches the step, until the test ends.
func at(t *testing.T, name string, f func()) {
	t.Helper()
	old := step
	step = func(n string) {
		if n == name {
			f()
		}
	}
	t.Cleanup(func() { step = old })
}

package jail

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// descriptorsBefore fails the test when it ends with more descriptors open than
// it began with. Tests that use it do not run in parallel.
func descriptorsBefore(t *testing.T) {
	descriptors() // opened once, and kept
	before := countDescriptors(t)
	t.Cleanup(func() { require.Equal(t, before, countDescriptors(t), "open descriptors") })
}

func countDescriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(list)
}

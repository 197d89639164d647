package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestModuleStaysSmall keeps packages out that each cost the module a quarter of
// a megabyte or more, and the host 3 ms a load.
func TestModuleStaysSmall(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := cmd.Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, "github.com/ohhost/ohhost/guest")
	for _, heavy := range []string{"fmt", "encoding/json", "regexp", "os", "time", "embed"} {
		require.NotContains(t, deps, heavy)
	}
}

//go:build unix

package guest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFiveMinutes follows the package documentation to the letter, in a fresh
// folder, up to the module.
func TestFiveMinutes(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, part, _ := strings.Cut(string(doc), "# A plugin in five minutes\n")
	part, _, _ = strings.Cut(part, "\n// # ")
	var blocks []string
	inside := false
	for line := range strings.Lines(part) {
		code, indented := strings.CutPrefix(line, "//\t")
		switch {
		case indented && !inside:
			blocks, inside = append(blocks, code), true
		case indented:
			blocks[len(blocks)-1] += code
		case line == "//\n" && inside:
			blocks[len(blocks)-1] += "\n"
		default:
			inside = false
		}
	}
	require.Len(t, blocks, 3)

	root, err := filepath.Abs("..")
	require.NoError(t, err)
	base := t.TempDir()
	require.NoError(t, os.Symlink(root, filepath.Join(base, "ohhost")))
	dir := filepath.Join(base, "wordcount")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(blocks[0]), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(blocks[1]), 0o644))
	build, _, _ := strings.Cut(blocks[2], "\n")
	cmd := exec.Command("sh", "-c", build)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	module, err := os.ReadFile(filepath.Join(dir, "word_count.wasm"))
	require.NoError(t, err)
	require.Equal(t, "\x00asm", string(module[:4]))
}

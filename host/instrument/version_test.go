package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// made is the digest of what Version makes of the plugin and the guests.
const made = "aeb4951e6279a371474aa8f99593c2e514e427b235e6c41aa6bef83b9773a49e"

// TestVersion: a rewriter that makes something else must have another Version, or
// modules that were compiled before stay in use as they are.
func TestVersion(t *testing.T) {
	h := sha256.New()
	fmt.Fprintf(h, "%+v\n", (*Limits)(nil).defaults())
	guests, err := filepath.Glob("../../testdata/guests/*.wasm")
	require.NoError(t, err)
	require.NotEmpty(t, guests)
	for _, name := range append(guests, "../../plugins/fileeditor/fileeditor.wasm") {
		wasm, err := os.ReadFile(name)
		require.NoError(t, err)
		m, err := Parse(wasm, nil)
		require.NoError(t, err)
		out, err := m.Rewrite(&Plan{Frozen: m.Freezable() == nil})
		require.NoError(t, err)
		h.Write(out)
	}
	require.Equal(t, made, hex.EncodeToString(h.Sum(nil)),
		"what is made of modules has changed (or the modules): if it is the rewriter, change Version; then put the new digest into made")
}

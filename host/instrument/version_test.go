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
const made = "72550382770286aefed876a4862d013a3d75db781d24e028742545690e49bf7e"

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

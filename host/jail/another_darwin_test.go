package jail

import (
	"os"

	"github.com/stretchr/testify/require"
)

// asAnother runs a function that may not enter dir.
func asAnother(w *world, dir string, run func()) {
	require.NotZero(w, os.Geteuid(), "root may enter everything; run the tests as another user")
	require.NoError(w, os.Chmod(dir, 0))
	defer func() { require.NoError(w, os.Chmod(dir, 0o755)) }()
	run()
}

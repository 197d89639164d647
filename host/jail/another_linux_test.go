package jail

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// asAnother runs a function that may not enter dir, also where the tests are run
// as root: file access is a matter of the thread.
func asAnother(w *world, dir string, run func()) {
	require.NoError(w, os.Chmod(dir, 0))
	defer func() { require.NoError(w, os.Chmod(dir, 0o755)) }()
	if os.Geteuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(w, os.Chmod(filepath.Dir(w.dir), 0o755))
		const nobody = 65534
		require.NoError(w, unix.Setfsuid(nobody))
		defer func() { require.NoError(w, unix.Setfsuid(0)) }()
	}
	run()
}

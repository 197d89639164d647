package host

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/hashicorp/go-hclog"

	"github.com/ohhost/ohhost/host/jail"
)

// Options configure a Host. The zero value works.
type Options struct {
	// CacheDir is where compiled modules are kept, 0700. Empty means "ohhost"
	// in the user's cache directory.
	CacheDir string
	// NoCache keeps compiled modules in memory only.
	NoCache bool
	// StateDir is where sessions live, 0700. Empty means "ohhost" in
	// $XDG_STATE_HOME or ~/.local/state.
	StateDir string
	// Private lists further directories and files that no grant opens. CacheDir,
	// StateDir, the user's configuration directory of ohhost and the program that
	// runs always are closed.
	Private []string
	// Logger receives what the host and its guests log; nil logs nothing.
	Logger hclog.Logger
	// Progress, if set, is told of work that makes a first call slow.
	Progress func(text string)
	// JailBackend chooses how files are opened; the zero value chooses by
	// itself.
	JailBackend jail.Backend
	// NoSync leaves out fsync. For benchmarks only: a success reported may be
	// lost with the power.
	NoSync bool
	// Limits bound what one call may use.
	Limits Limits
	// Spares is how many instances of each module that was called are kept ready
	// for its next calls. Zero means two, a negative number none: right for a
	// process that makes one call.
	Spares int
	// Interpreter runs guests on wazero's interpreter instead of compiled. It is
	// on in binaries built with -race, where compiling takes too long.
	Interpreter bool
}

func (o *Options) spares() int {
	if o.Spares == 0 {
		return 2
	}
	return max(0, o.Spares)
}

// dirs are the host's own directories. cache and state are empty where the user
// has none, private lists those and whatever else stays closed to guests.
type dirs struct {
	cache, state string
	private      []string
}

func (o *Options) dirs() dirs {
	d := dirs{cache: o.CacheDir, state: o.StateDir}
	if d.cache == "" {
		if base, err := os.UserCacheDir(); err == nil && filepath.IsAbs(base) {
			d.cache = filepath.Join(base, "ohhost")
		}
	}
	if d.state == "" {
		if base := userStateDir(); base != "" {
			d.state = filepath.Join(base, "ohhost")
		}
	}
	d.private = append(d.private, o.Private...)
	if base, err := os.UserConfigDir(); err == nil && filepath.IsAbs(base) {
		d.private = append(d.private, filepath.Join(base, "ohhost"))
	}
	if base := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(base) {
		d.private = append(d.private, filepath.Join(base, "ohhost"))
	}
	if exe, err := os.Executable(); err == nil {
		d.private = append(d.private, exe) // a plugin that may write to $HOME must not replace ~/go/bin/ohhost
	}
	for _, own := range []string{d.cache, d.state} {
		if own != "" {
			d.private = append(d.private, own)
		}
	}
	return d
}

// userStateDir is where programs keep state between runs (XDG Base Directory
// Specification), or empty without a home.
func userStateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(home, "AppData", "Local")
	}
	return filepath.Join(home, ".local", "state")
}

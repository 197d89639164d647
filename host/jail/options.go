package jail

// A Backend is a way to open paths without leaving a directory.
type Backend int

// The backends. They behave alike; Openat2 is faster.
const (
	Auto    Backend = iota // Openat2 where the kernel has it and lets it be used, else OSRoot
	Openat2                // Linux's openat2; New fails where it cannot be used
	OSRoot                 // os.Root, on every system
)

// Options are the settings of a jail that are not the caller's grant. Nil and
// the zero value work.
type Options struct {
	// Private are the directories of the host itself (cache, state,
	// configuration, keys, sockets): absolute; they need not exist yet. They are
	// closed in every grant, whatever it says, and so is everything that would
	// put them elsewhere.
	Private []string
	// Open are directories below Private that may be read all the same, in
	// every grant; they need not exist yet either. Deny patterns hold there, too.
	Open []string
	// Backend is Auto when it is zero.
	Backend Backend
	// MaxOpen is how many files and directories may be open at once through one
	// value of FS; zero is 256.
	MaxOpen int
}

package jail

// A Backend is a way to open paths without leaving a directory.
type Backend int

// The backends. They behave alike, but that Openat2 is faster and that OSRoot
// must be allowed to read, not only to enter, each directory on the way.
const (
	Auto    Backend = iota // Openat2 where the kernel has it and lets it be used, else OSRoot
	Openat2                // Linux's openat2; New fails where it cannot be used
	OSRoot                 // os.Root, on every system
)

// Options are the settings of a jail that are not the caller's grant. Nil and
// the zero value work.
type Options struct {
	// Private are the directories and files of the host itself (cache, state,
	// configuration, keys, sockets, its program): absolute; they need not exist
	// yet, or be within reach. They are closed in every grant, whatever it says,
	// and nothing that would put them elsewhere can be replaced, moved or
	// removed: the directories and links that lead to them. What else is in
	// those directories is not affected.
	Private []string
	// Open are directories below Private that may be read all the same, in
	// every grant and where nothing is granted; they need not exist yet either.
	// The deny patterns of a granted directory that holds them apply.
	Open []string
	// Backend is Auto when it is zero.
	Backend Backend
}

// String returns "auto", "openat2" or "os.Root".
func (b Backend) String() string {
	switch b {
	case Openat2:
		return "openat2"
	case OSRoot:
		return "os.Root"
	}
	return "auto"
}

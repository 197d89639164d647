package tool

// A Grant says what a bound tool may touch. The zero Grant grants nothing.
type Grant struct {
	// Workspace is the working directory that relative paths, descriptions and
	// resource keys refer to: an absolute path. It grants nothing by itself.
	Workspace string
	// Paths are the granted directories and single files. Where several hold a
	// path, the most specific one counts.
	Paths []PathGrant
	// Deny lists patterns in gitignore's syntax, relative to each granted
	// directory; what they match can be neither read nor written. They beat
	// everything else.
	Deny []string
	// AllowProtected lists patterns (gitignore's syntax, relative to each
	// granted directory) of protected paths that may be written all the same.
	AllowProtected []string
	// Session names where state of the session (undo history) lives; empty means
	// that of the workspace, see SessionName.
	Session string
}

// A PathGrant gives one directory with all below it, or one file.
type PathGrant struct {
	// Path is absolute. Links in it are resolved when the grant is bound; a tool
	// may use it as it is written here, too.
	Path  string
	Write bool
}

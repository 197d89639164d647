package main

import (
	"errors"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// printPath returns a path as Python's pathlib prints it: repeated slashes and
// those at the end dropped (but exactly two at the start stay), "." components
// dropped, ".." kept, and "." for nothing.
func printPath(path string) string {
	root := ""
	if strings.HasPrefix(path, "/") {
		root = "/"
		if strings.HasPrefix(path, "//") && !strings.HasPrefix(path, "///") {
			root = "//"
		}
	}
	b := append(make([]byte, 0, len(path)+1), root...)
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." {
			continue
		}
		if len(b) > len(root) {
			b = append(b, '/')
		}
		b = append(b, part...)
	}
	if len(b) == 0 {
		return "."
	}
	return string(b)
}

// suffix returns the last extension of a path as pathlib does, with its dot and
// in lower case; a name that only begins or ends with a dot has none.
func suffix(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || i == len(name)-1 {
		return ""
	}
	ext := []byte(name[i:])
	for i, c := range ext { // only ASCII letters matter; unicode's tables are large
		if c >= 'A' && c <= 'Z' {
			ext[i] = c + 'a' - 'A'
		}
	}
	return string(ext)
}

// isAbsolute judges as os.path.isabs does after strip and expanduser, where a
// home of a named user is never known.
func isAbsolute(path string) bool {
	path = pyStrip(path)
	return strings.HasPrefix(path, "/") || path == "~" || strings.HasPrefix(path, "~/")
}

// onHost reports whether a path may be shown to the files service. One that
// passes for absolute only because of "~" or blanks before the slash is never
// resolved: it does not exist.
func (e *editor) onHost() bool { return strings.HasPrefix(e.path, "/") }

// checkPath makes the checks 1 to 4 of spec/tools.md, "Order of checks", and
// returns the file's type, abi.TypeNone for one that is to be created.
func (e *editor) checkPath() (byte, error) {
	if !isAbsolute(e.path) {
		hint := "The path should be an absolute path."
		if near := printPath(e.cwd + "/" + e.path); e.exists(near) {
			hint += " Maybe you meant " + near + "?"
		}
		return 0, fail(invalidPath(e.path, hint))
	}
	kind, err := e.kind()
	switch {
	case err != nil:
		return 0, err
	case e.command == "create" && kind != abi.TypeNone:
		return 0, fail(invalidPath(e.path, hintExists(e.path)))
	case e.command != "create" && kind == abi.TypeNone:
		return 0, fail(invalidPath(e.path, hintMissing(e.path)))
	case e.command != "view" && kind == abi.TypeDir:
		return 0, fail(invalidPath(e.path, hintDirectory(e.path)))
	}
	return kind, nil
}

// kind returns the type of the file, links followed, and abi.TypeNone where
// there is none.
func (e *editor) kind() (byte, error) {
	if !e.onHost() || strings.IndexByte(e.path, 0) >= 0 {
		return abi.TypeNone, nil
	}
	info, err := e.files.Stat(e.path, true)
	if err == nil {
		return info.Type, nil
	}
	f, ok := errors.AsType[*guest.FileError](err)
	switch {
	case ok && f.Kind == abi.ErrNotRegular:
		return abi.TypeOther, nil
	case ok && isMissing(f):
		return abi.TypeNone, nil
	case e.command == "create":
		return 0, e.fileError(err, ranIntoWrite)
	}
	return 0, e.fileError(err, ranIntoRead)
}

// isMissing reports whether an error means that there is no such file: dangling
// and looping links and names that are too long count.
func isMissing(f *guest.FileError) bool {
	switch f.Name {
	case "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL":
		return true
	}
	return false
}

// exists reports whether a path leads to something that may be read.
func (e *editor) exists(path string) bool {
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 {
		return false
	}
	_, err := e.files.Stat(path, true)
	return err == nil
}

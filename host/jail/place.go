//go:build linux || darwin

package jail

import (
	"errors"
	"os"

	"github.com/ohhost/ohhost/abi"
)

// A place is an open directory on the way of a walk. Every name it is asked for
// is a single component, and it never follows a link. Errors are errnos,
// errMoved or errRefused.
type place interface {
	// step looks at one name. Where it is a directory and enter is set, found
	// has it as a place.
	step(name string, enter bool) (found, error)
	// open opens the name for reading, "." for the directory itself. What is
	// neither a regular file nor a directory is not opened: ErrNotRegular. The
	// file is called as.
	open(name, as string) (*os.File, info, error)
	// stat describes the directory itself.
	stat() (info, error)
	close()
}

// A fast place skips the walk where nothing is in the way. The paths are below
// the place and have no ".." in them; "." is the place itself. Each method fails,
// with whatever errno, where a link or a mount point is in the way.
type fast interface {
	// reach opens for reading as open does.
	reach(rel, as string) (*os.File, info, error)
	// enter opens a directory for reading.
	enter(rel, as string) (*os.File, info, error)
	// look describes what is there; the last name may be a link.
	look(rel string) (info, error)
	// below opens a directory.
	below(rel string) (place, error)
}

// found is what a name turned out to be.
type found struct {
	info info
	link string // the text of a link
	sub  place
}

// An info describes a file.
type info struct {
	typ                 byte   // one of abi's types
	mode                uint32 // the twelve permission bits
	dev, ino, nlink     uint64
	size                int64
	mtime, atime, ctime int64 // nanoseconds since 1970
}

// entry makes the record of the files service.
func (i *info) entry(name string) abi.Entry {
	return abi.Entry{Name: name, Type: i.typ, Target: i.typ, Mode: i.mode, Size: i.size, MTime: i.mtime}
}

var (
	// errMoved means that something changed under the walk; it is done again.
	errMoved = errors.New("it changed while it was looked at")
	// errRefused means that it is on a file system that shows the kernel's
	// inside, such as procfs.
	errRefused = errors.New("it is on a file system of the kernel")
)

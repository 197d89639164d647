//go:build !linux && !darwin

package jail

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

var errUnsupported = errors.New("confining files is not supported on " + runtime.GOOS + " yet; use Linux or macOS")

// A Jail opens the paths that a grant allows. On this system there is none yet.
type Jail struct{}

// New returns an error: a host on this system has no files to give.
func New(*tool.Grant, *Options) (*Jail, error) { return nil, errUnsupported }

// Close does nothing.
func (*Jail) Close() error { return nil }

// Grants returns nil.
func (*Jail) Grants() []string { return nil }

// Open returns an error.
func (*Jail) Open(string) (*os.File, error) { return nil, errUnsupported }

// Stat returns an error.
func (*Jail) Stat(string, bool) (abi.Entry, error) { return abi.Entry{}, errUnsupported }

// RealPath returns an error.
func (*Jail) RealPath(string) (string, error) { return "", errUnsupported }

// Readlink returns an error.
func (*Jail) Readlink(string) (string, error) { return "", errUnsupported }

// List returns an error.
func (*Jail) List(context.Context, string, bool, int) ([]abi.Entry, error) {
	return nil, errUnsupported
}

// Target returns an error.
func (*Jail) Target(string, bool) (*Target, error) { return nil, errUnsupported }

// FS returns a file system without files.
func (*Jail) FS(*FSOptions) FS { return noFS{} }

type noFS struct{ sys.UnimplementedFS }

func (noFS) Close() error { return nil }

// A Target is where a write goes that the grant allows.
type Target struct {
	Dir  *Dir
	Name string
	Path string
}

// Close does nothing.
func (*Target) Close() error { return nil }

// AllowLink returns an error.
func (*Target) AllowLink() error { return errUnsupported }

// A Dir is an open directory.
type Dir struct{}

// Path returns "".
func (*Dir) Path() string { return "" }

// Close does nothing.
func (*Dir) Close() error { return nil }

// Open returns an error.
func (*Dir) Open(string, int, fs.FileMode) (*os.File, error) { return nil, errUnsupported }

// Lstat returns an error.
func (*Dir) Lstat(string) (fs.FileInfo, error) { return nil, errUnsupported }

// Rename returns an error.
func (*Dir) Rename(string, string) error { return errUnsupported }

// RenameNoReplace returns an error.
func (*Dir) RenameNoReplace(string, string) error { return errUnsupported }

// RenameTo returns an error.
func (*Dir) RenameTo(string, *Dir, string) error { return errUnsupported }

// Remove returns an error.
func (*Dir) Remove(string) error { return errUnsupported }

// Mkdir returns an error.
func (*Dir) Mkdir(string, fs.FileMode) error { return errUnsupported }

// Rmdir returns an error.
func (*Dir) Rmdir(string) error { return errUnsupported }

// Readlink returns an error.
func (*Dir) Readlink(string) (string, error) { return "", errUnsupported }

// Sync returns an error.
func (*Dir) Sync() error { return errUnsupported }

// Lock returns an error.
func (*Dir) Lock(context.Context) (func(), error) { return nil, errUnsupported }

package jail

import (
	"context"
	"io/fs"
	"os"
)

// A Dir is an open directory that is already decided.
type Dir struct{}

// Path is the resolved path.
func (d *Dir) Path() string { return "" }

// Close frees the handle.
func (d *Dir) Close() error { return errSkeleton }

// Open opens a file of the directory.
func (d *Dir) Open(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return nil, errSkeleton
}

// Lstat describes a name.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return nil, errSkeleton }

// Rename renames a file or link.
func (d *Dir) Rename(old, new string) error { return errSkeleton }

// RenameNoReplace renames unless new exists.
func (d *Dir) RenameNoReplace(old, new string) error { return errSkeleton }

// RenameTo renames into another directory.
func (d *Dir) RenameTo(old string, to *Dir, new string) error { return errSkeleton }

// Remove removes a file or link.
func (d *Dir) Remove(name string) error { return errSkeleton }

// Mkdir makes a directory.
func (d *Dir) Mkdir(name string, perm fs.FileMode) error { return errSkeleton }

// Rmdir removes an empty directory.
func (d *Dir) Rmdir(name string) error { return errSkeleton }

// Readlink reads a link.
func (d *Dir) Readlink(name string) (string, error) { return "", errSkeleton }

// Sync flushes the directory to disk.
func (d *Dir) Sync() error { return errSkeleton }

// Lock takes an exclusive flock on the directory.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) { return nil, errSkeleton }

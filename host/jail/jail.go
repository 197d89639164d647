// Package jail is the capability filesystem: it decides on every path of a grant
// and opens it without ever leaving what was granted.
package jail

import (
	"errors"
	"os"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// A Backend is a way to open paths without leaving a directory.
type Backend int

// The backends.
const (
	Auto    Backend = iota // Openat2 where the kernel has it and allows it, else OSRoot
	Openat2                // Linux's openat2
	OSRoot                 // os.Root, on every system
)

// Options are the settings of a jail that do not come from the caller's grant.
type Options struct {
	Private []string // directories closed in every grant, absolute; may not exist yet
	Open    []string // directories below Private that may be read all the same, in spite of any grant
	Backend Backend
	MaxOpen int // files that may be open at once through one FS; 0 is 256
}

// A Jail decides on paths and opens them.
type Jail struct{}

var errSkeleton = errors.New("jail: not there yet")

// New opens the grants of g.
func New(g *tool.Grant, opts *Options) (*Jail, error) { return nil, errSkeleton }

// Close frees the grants' handles.
func (j *Jail) Close() error { return errSkeleton }

// Grants lists the grants as resolved, sorted.
func (j *Jail) Grants() []string { return nil }

// Open opens a regular file or a directory for reading.
func (j *Jail) Open(path string) (*os.File, error) { return nil, errSkeleton }

// Stat describes a path.
func (j *Jail) Stat(path string, follow bool) (abi.Entry, error) { return abi.Entry{}, errSkeleton }

// RealPath resolves a path.
func (j *Jail) RealPath(path string) (string, error) { return "", errSkeleton }

// Readlink reads a link.
func (j *Jail) Readlink(path string) (string, error) { return "", errSkeleton }

// List lists a directory.
func (j *Jail) List(path string, follow bool, max int) ([]abi.Entry, error) { return nil, errSkeleton }

// Target decides a write.
func (j *Jail) Target(path string, follow bool) (*Target, error) { return nil, errSkeleton }

// TargetDir decides the making of a directory.
func (j *Jail) TargetDir(path string) (*Target, error) { return nil, errSkeleton }

// FS is the read-only file system for a guest's mount at "/".
func (j *Jail) FS() sys.FS { return sys.UnimplementedFS{} }

// A Target is where a write that the grant allows goes.
type Target struct {
	Dir  *Dir
	Name string
	Path string
}

// Close frees Dir.
func (t *Target) Close() error { return t.Dir.Close() }

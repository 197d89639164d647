package host

import (
	"context"
	"crypto/rand"
	"io/fs"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	wasys "github.com/tetratelabs/wazero/sys"
)

const (
	stderrKept = 64 << 10    // bytes of a guest's standard error kept for reports
	sleepMax   = time.Minute // of one sleep

	// clockBase is what a guest's monotonic clock shows when its call begins, in
	// nanoseconds. A frozen guest remembers the clock of its start-up, which
	// counts from 1: the time since then must not be negative.
	clockBase = 1 << 40
)

// A slot is what an instance has of WASI: the files, the clock and the standard
// streams of the call that it will serve. An instance is made before its call is
// known, so that they are put in later.
type slot struct {
	sys.UnimplementedFS

	files sys.FS // nil: there are none
	stop  <-chan struct{}
	began time.Time
	base  int64
	out   tail

	touched bool // files were asked for before there was a call
}

// attach gives the slot a call's files and its end.
func (s *slot) attach(ctx context.Context, files sys.FS) {
	s.files, s.stop, s.began, s.base = files, ctx.Done(), time.Now(), clockBase
}

// config is the same for every instance of every module: no arguments, no
// environment, real time and random numbers, and one directory, "/".
func (s *slot) config() wazero.ModuleConfig {
	return wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions(). // the host calls _initialize itself
		WithArgs("plugin").
		WithStdout(&s.out).WithStderr(&s.out).
		WithSysWalltime().
		WithNanotime(s.nanotime, 1).
		WithNanosleep(s.sleep).
		WithRandSource(rand.Reader).
		WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(s, "/"))
}

func (s *slot) nanotime() int64 { return s.base + int64(time.Since(s.began)) }

func (s *slot) sleep(ns int64) {
	t := time.NewTimer(min(time.Duration(ns), sleepMax))
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.stop:
	}
}

// fs returns the call's files.
func (s *slot) fs() (sys.FS, bool) {
	if s.files == nil {
		s.touched = true
		return nil, false
	}
	return s.files, true
}

// OpenFile implements sys.FS, as do the methods below.
func (s *slot) OpenFile(path string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if files, ok := s.fs(); ok {
		return files.OpenFile(path, flag, perm)
	}
	return nil, sys.ENOENT
}

func (s *slot) Lstat(path string) (wasys.Stat_t, sys.Errno) {
	if files, ok := s.fs(); ok {
		return files.Lstat(path)
	}
	return wasys.Stat_t{}, sys.ENOENT
}

func (s *slot) Stat(path string) (wasys.Stat_t, sys.Errno) {
	if files, ok := s.fs(); ok {
		return files.Stat(path)
	}
	return wasys.Stat_t{}, sys.ENOENT
}

func (s *slot) Readlink(path string) (string, sys.Errno) {
	if files, ok := s.fs(); ok {
		return files.Readlink(path)
	}
	return "", sys.ENOENT
}

// Mkdir and the methods below change something: read-only, as all of the jail.
func (*slot) Mkdir(string, fs.FileMode) sys.Errno { return sys.EROFS }

func (*slot) Chmod(string, fs.FileMode) sys.Errno { return sys.EROFS }

func (*slot) Rename(string, string) sys.Errno { return sys.EROFS }

func (*slot) Rmdir(string) sys.Errno { return sys.EROFS }

func (*slot) Unlink(string) sys.Errno { return sys.EROFS }

func (*slot) Link(string, string) sys.Errno { return sys.EROFS }

func (*slot) Symlink(string, string) sys.Errno { return sys.EROFS }

func (*slot) Utimens(string, int64, int64) sys.Errno { return sys.EROFS }

// A tail keeps the last bytes written to it.
type tail struct{ b []byte }

// Write keeps p, or what fits of its end.
func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p[max(0, len(p)-stderrKept):]...)
	if over := len(t.b) - stderrKept; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

// String returns what was kept, made valid UTF-8.
func (t *tail) String() string {
	return string(validUTF8(t.b))
}

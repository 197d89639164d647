//go:build linux || darwin

package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

// backends are what the suite runs against.
var backends = []Backend{Openat2, OSRoot}

// A world is a directory with a workspace w that is granted and things outside
// that are not.
type world struct {
	*testing.T
	dir     string // of all
	w       string // granted
	out     string // not granted
	backend Backend
	jail    *Jail
}

const secret = "SECRET"

// each runs a test in a fresh world for each backend, and fails it when it
// leaves descriptors open.
func each(t *testing.T, run func(w *world)) {
	for _, b := range backends {
		t.Run(b.String(), func(t *testing.T) {
			descriptorsBefore(t)
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			w := &world{T: t, dir: dir, w: dir + "/w", out: dir + "/out", backend: b}
			w.mkdir("w")
			w.mkdir("out")
			w.write("out/secret", secret)
			w.write("w/a/b/f", "inside")
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, nil)
			run(w)
		})
	}
}

// grant replaces the jail of the world.
func (w *world) grant(g *tool.Grant, opts *Options) {
	w.Helper()
	o := Options{}
	if opts != nil {
		o = *opts
	}
	o.Backend = w.backend
	j, err := New(g, &o)
	require.NoError(w, err)
	w.jail = j
	w.Cleanup(func() { j.Close() })
}

func (w *world) mkdir(name string) string {
	w.Helper()
	p := filepath.Join(w.dir, name)
	require.NoError(w, os.MkdirAll(p, 0o755))
	return p
}

func (w *world) write(name, text string) string {
	w.Helper()
	p := filepath.Join(w.dir, name)
	w.mkdir(filepath.Dir(name))
	require.NoError(w, os.WriteFile(p, []byte(text), 0o644))
	return p
}

func (w *world) link(text, name string) string {
	w.Helper()
	p := filepath.Join(w.dir, name)
	w.mkdir(filepath.Dir(name))
	require.NoError(w, os.Symlink(text, p))
	return p
}

// read returns the contents of a file as the jail gives it.
func (w *world) read(p string) (string, error) {
	w.Helper()
	f, err := w.jail.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	require.NoError(w, err)
	return string(b), nil
}

// put writes a file through Target as a change set does.
func (w *world) put(p, text string) error {
	w.Helper()
	t, err := w.jail.Target(p, true)
	if err != nil {
		return err
	}
	defer t.Close()
	f, err := t.Dir.Open(t.Name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	require.NoError(w, err)
	return f.Close()
}

func (w *world) reads(p, text string) {
	w.Helper()
	got, err := w.read(p)
	require.NoError(w, err, p)
	require.Equal(w, text, got, p)
}

func (w *world) puts(p string) {
	w.Helper()
	require.NoError(w, w.put(p, "new"), p)
	w.reads(p, "new")
}

// denied fails unless every way to read and to write p is denied, and returns
// the denial of reading.
func (w *world) denied(p string) *DeniedError {
	w.Helper()
	_, err := w.jail.Open(p)
	d := w.isDenied(p, err)
	_, err = w.jail.Stat(p, true)
	w.isDenied(p, err)
	_, err = w.jail.RealPath(p)
	w.isDenied(p, err)
	_, err = w.jail.List(w.Context(), p, true, 0)
	w.isDenied(p, err)
	w.noWrite(p)
	return d
}

// noWrite fails unless a write to p is denied.
func (w *world) noWrite(p string) *DeniedError {
	w.Helper()
	t, err := w.jail.Target(p, true)
	if err == nil {
		t.Close()
	}
	return w.isDenied(p, err)
}

func (w *world) isDenied(p string, err error) *DeniedError {
	w.Helper()
	var d *DeniedError
	require.True(w, errors.As(err, &d), "%s: want a denial, got %v", p, err)
	require.Equal(w, p, d.Path)
	return d
}

// fails fails unless every way to read p gives the errno.
func (w *world) fails(p string, errno error) {
	w.Helper()
	_, err := w.jail.Open(p)
	w.isErrno(p, err, errno)
	_, err = w.jail.Stat(p, true)
	w.isErrno(p, err, errno)
	_, err = w.jail.RealPath(p)
	w.isErrno(p, err, errno)
	_, err = w.jail.List(w.Context(), p, true, 0)
	w.isErrno(p, err, errno)
}

func (w *world) isErrno(p string, err, errno error) {
	w.Helper()
	var pe *fs.PathError
	require.True(w, errors.As(err, &pe), "%s: want %v, got %v", p, errno, err)
	require.Equal(w, p, pe.Path)
	require.Equal(w, errno, pe.Err, p)
}

// names lists a directory through the jail, sorted.
func (w *world) names(p string) []string {
	w.Helper()
	list, err := w.jail.List(w.Context(), p, true, 0)
	require.NoError(w, err)
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names
}

// untouched fails when something outside was changed.
func (w *world) untouched() {
	w.Helper()
	list, err := os.ReadDir(w.out)
	require.NoError(w, err)
	require.Len(w, list, 1)
	b, err := os.ReadFile(w.out + "/secret")
	require.NoError(w, err)
	require.Equal(w, secret, string(b))
}

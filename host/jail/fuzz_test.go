//go:build linux || darwin

package jail

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

// A dice draws from fuzz input; at its end it draws zeros.
type dice []byte

func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	b := (*d)[0]
	*d = (*d)[1:]
	return int(b) % n
}

// path draws up to six components, from a start that an attacker would choose.
func (d *dice) path(w, out string) string {
	p := []string{"", "", w, out, "/", w + "/", filepath.Dir(w), "/proc/self/root" + out}[d.roll(8)]
	parts := []string{"a", "b", "c", "d", "..", ".", "", "w", "out", "../..", "A", "..."}
	for range d.roll(7) {
		if p != "" {
			p += "/"
		}
		p += parts[d.roll(len(parts))]
	}
	if p == "" {
		return "a"
	}
	return p
}

// FuzzNeverOutside makes a tree of files, directories and links and walks paths
// in it, with both backends. What the jail opens is inside, and it is what the
// kernel opens; where the jail denies nothing, it fails as the kernel fails.
func FuzzNeverOutside(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x03\x02\x01\x04"))
	f.Add([]byte{0, 0, 1, 1, 2, 2, 3, 1, 4, 2, 3, 2, 2, 4, 4, 4, 1, 1, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	f.Add([]byte(strings.Repeat("\x02\x01\x02\x03\x04\x00", 30)))
	f.Fuzz(neverOutside)
}

// TestNeverOutside does the same with random bytes.
func TestNeverOutside(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { neverOutside(t, data) }) {
			break
		}
	}
}

func neverOutside(t *testing.T, data []byte) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w, out := dir+"/w", dir+"/out"
	for _, d := range []string{w, out, out + "/a", out + "/w"} {
		require.NoError(t, os.Mkdir(d, 0o755))
	}
	require.NoError(t, os.WriteFile(out+"/b", []byte(secret), 0o644))
	d := dice(data)
	dirs := []string{w}
	for range 4 + d.roll(20) {
		at := filepath.Join(dirs[d.roll(len(dirs))], []string{"a", "b", "c", "d", "w", "out"}[d.roll(6)])
		switch d.roll(3) {
		case 0:
			if os.Mkdir(at, 0o755) == nil {
				dirs = append(dirs, at)
			}
		case 1:
			if f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
				f.Close()
			}
		case 2:
			_ = os.Symlink(d.path(w, out), at)
		}
	}
	inside := map[[2]uint64]string{}
	require.NoError(t, filepath.Walk(w, func(p string, fi os.FileInfo, err error) error {
		require.NoError(t, err)
		i := infoOfFile(fi)
		inside[[2]uint64{i.dev, i.ino}] = p
		return nil
	}))
	var paths []string
	for range 8 {
		p := d.path(w, out)
		if p[0] != '/' {
			p = w + "/" + p
		}
		paths = append(paths, p)
	}
	for _, b := range backends {
		j, err := New(&tool.Grant{Paths: []tool.PathGrant{{Path: w, Write: true}}}, &Options{Backend: b})
		require.NoError(t, err)
		for _, p := range paths {
			checkPath(t, j, p, inside)
		}
		require.NoError(t, j.Close())
	}
}

func checkPath(t *testing.T, j *Jail, p string, inside map[[2]uint64]string) {
	kernel, kernelErr := os.Stat(p)
	f, err := j.Open(p)
	switch {
	case err == nil:
		i, err := statFile(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		real := inside[[2]uint64{i.dev, i.ino}]
		require.NotEmpty(t, real, "%s is outside", p)
		require.NoError(t, kernelErr, p)
		require.Equal(t, infoOfFile(kernel).ino, i.ino, p)
		got, err := j.RealPath(p)
		require.NoError(t, err)
		require.Equal(t, real, got, p)
		e, err := j.Stat(p, true)
		require.NoError(t, err)
		require.Equal(t, i.typ, e.Type, p)
	case errors.As(err, new(*DeniedError)):
	default:
		require.Error(t, kernelErr, "%s: %v", p, err)
		require.Equal(t, bare(kernelErr), bare(err), p)
	}
	for _, follow := range []bool{false, true} {
		target, err := j.Target(p, follow)
		if err != nil {
			continue
		}
		i, err := statFile(target.Dir.file)
		require.NoError(t, err)
		require.Equal(t, target.Dir.Path(), inside[[2]uint64{i.dev, i.ino}], p)
		require.Equal(t, join(target.Dir.Path(), target.Name), target.Path)
		// Opening the entry is opening the path, as the kernel does it.
		e, err := target.Dir.Lstat(target.Name)
		if errors.Is(err, syscall.ENOENT) {
			require.ErrorIs(t, kernelErr, syscall.ENOENT, p)
		} else {
			require.NoError(t, err)
			require.NotEmpty(t, inside[[2]uint64{infoOfFile(e).dev, infoOfFile(e).ino}], p)
			if follow {
				require.NoError(t, kernelErr, p)
				require.True(t, infoOfFile(e).ino == infoOfFile(kernel).ino, p)
			}
		}
		require.NoError(t, target.Close())
	}
}

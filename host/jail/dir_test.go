//go:build linux || darwin

package jail

import (
	"context"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// aim opens the directory of a target.
func (w *world) aim(p string) *Dir {
	w.Helper()
	t, err := w.jail.Target(p, true)
	require.NoError(w, err)
	w.Cleanup(func() { t.Close() })
	return t.Dir
}

func TestDir(t *testing.T) {
	each(t, func(w *world) {
		w.link("../../out/secret", "w/a/l")
		w.link("../../out", "w/a/lo")
		d := w.aim(w.w + "/a/x")
		require.Equal(w, w.w+"/a", d.Path())

		f, err := d.Open("x", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
		require.NoError(w, err)
		require.Equal(w, w.w+"/a/x", f.Name())
		_, err = f.WriteString("text")
		require.NoError(w, err)
		require.NoError(w, f.Close())
		_, err = d.Open("x", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
		require.ErrorIs(w, err, fs.ErrExist)
		fi, err := d.Lstat("x")
		require.NoError(w, err)
		st, ok := fi.Sys().(*syscall.Stat_t)
		require.True(w, ok)
		want, err := os.Lstat(w.w + "/a/x")
		require.NoError(w, err)
		require.Equal(w, want.Sys(), any(st))
		require.Equal(w, []any{want.Name(), want.Size(), want.Mode(), want.ModTime(), false}, []any{fi.Name(), fi.Size(), fi.Mode(), fi.ModTime(), fi.IsDir()})

		require.NoError(w, d.Rename("x", "y"))
		w.write("w/a/z", "other")
		require.ErrorIs(w, d.RenameNoReplace("y", "z"), fs.ErrExist)
		require.NoError(w, d.RenameNoReplace("y", "n"))
		require.NoError(w, d.Rename("n", "z"))
		w.reads(w.w+"/a/z", "text")
		to := w.aim(w.w + "/a/b/x")
		require.NoError(w, d.RenameTo("z", to, "z"))
		w.reads(w.w+"/a/b/z", "text")

		require.NoError(w, d.Mkdir("m", 0o700))
		require.ErrorIs(w, d.Mkdir("m", 0o700), fs.ErrExist)
		require.ErrorIs(w, d.Remove("b"), syscall.EISDIR)
		require.ErrorIs(w, d.Rmdir("b"), syscall.ENOTEMPTY)
		require.NoError(w, d.Rmdir("m"))
		require.NoError(w, d.Sync())

		// Links are named, never followed.
		text, err := d.Readlink("l")
		require.NoError(w, err)
		require.Equal(w, "../../out/secret", text)
		_, err = d.Readlink("b")
		require.ErrorIs(w, err, syscall.EINVAL)
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_CREATE} {
			_, err = d.Open("l", flag, 0o644)
			require.ErrorIs(w, err, syscall.ELOOP)
		}
		_, err = d.Open("lo", os.O_RDONLY, 0)
		require.ErrorIs(w, err, syscall.ELOOP)
		fi, err = d.Lstat("lo")
		require.NoError(w, err)
		require.Equal(w, fs.ModeSymlink, fi.Mode().Type())
		require.ErrorIs(w, d.Mkdir("l", 0o755), fs.ErrExist)
		require.NoError(w, d.Rename("l", "l2"))
		require.NoError(w, d.Remove("l2"))
		require.NoError(w, d.Remove("lo"))

		// One component, no more.
		for _, name := range []string{"", ".", "..", "b/f", "../x", "/etc/passwd", "b/", "x\x00"} {
			_, err := d.Open(name, os.O_RDONLY, 0)
			require.ErrorIs(w, err, syscall.EINVAL, name)
			_, err = d.Lstat(name)
			require.ErrorIs(w, err, syscall.EINVAL, name)
			_, err = d.Readlink(name)
			require.ErrorIs(w, err, syscall.EINVAL, name)
			for _, err := range []error{
				d.Rename(name, "q"), d.Rename("b", name), d.RenameNoReplace(name, "q"), d.RenameTo(name, to, "q"), d.RenameTo("b", to, name),
				d.Remove(name), d.Mkdir(name, 0o755), d.Rmdir(name),
			} {
				require.ErrorIs(w, err, syscall.EINVAL, name)
			}
		}
		require.Equal(w, []string{"b"}, w.names(w.w+"/a"))
		w.untouched()
	})
}

func TestDirLock(t *testing.T) {
	each(t, func(w *world) {
		a, b := w.aim(w.w+"/x"), w.aim(w.w+"/y")
		unlock, err := a.Lock(t.Context())
		require.NoError(w, err)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		_, err = b.Lock(ctx)
		require.Equal(w, context.DeadlineExceeded, err)
		got := make(chan error)
		go func() {
			unlock, err := b.Lock(context.Background())
			if err == nil {
				unlock()
			}
			got <- err
		}()
		unlock()
		require.NoError(w, <-got)
		unlock, err = a.Lock(t.Context())
		require.NoError(w, err)
		require.NoError(w, a.Close(), "Close unlocks")
		unlock()
		unlock, err = b.Lock(t.Context())
		require.NoError(w, err)
		unlock()
		_, err = a.Lock(t.Context())
		require.ErrorIs(w, err, syscall.EBADF)
	})
}

func TestDirLockExcludes(t *testing.T) {
	each(t, func(w *world) {
		var group sync.WaitGroup
		inside, most := 0, 0
		var mu sync.Mutex
		for range 8 {
			d := w.aim(w.w + "/x")
			group.Go(func() {
				for range 5 {
					unlock, err := d.Lock(context.Background())
					if err != nil {
						panic(err)
					}
					mu.Lock()
					inside++
					most = max(most, inside)
					mu.Unlock()
					time.Sleep(100 * time.Microsecond)
					mu.Lock()
					inside--
					mu.Unlock()
					unlock()
				}
			})
		}
		group.Wait()
		require.Equal(w, 1, most)
	})
}

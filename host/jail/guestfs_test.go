//go:build linux || darwin

package jail

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/ohhost/ohhost/tool"
)

// snapshot describes every file below a directory: type, mode, times, contents.
func snapshot(w *world, dir string) map[string]string {
	w.Helper()
	all := map[string]string{}
	require.NoError(w, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		text := fi.Mode().String() + " " + fi.ModTime().Format(time.RFC3339Nano)
		if fi.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text += " " + string(b)
		}
		all[p] = text
		return nil
	}))
	return all
}

func TestF8(t *testing.T) {
	each(t, func(w *world) {
		w.link("a/b/f", "w/l")
		w.link("missing", "w/dangling")
		for _, write := range []bool{false, true} {
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: write}}}, nil)
			before := snapshot(w, w.dir)
			g := w.jail.FS(nil)
			flags := []sys.Oflag{
				sys.O_CREAT, sys.O_TRUNC, sys.O_APPEND, sys.O_RDWR, sys.O_WRONLY, sys.O_CREAT | sys.O_TRUNC, sys.O_CREAT | sys.O_EXCL,
				sys.O_EXCL, sys.O_DIRECTORY | sys.O_RDWR, sys.O_DIRECTORY | sys.O_WRONLY, sys.O_DIRECTORY | sys.O_CREAT, sys.O_DIRECTORY | sys.O_TRUNC,
				sys.O_WRONLY | sys.O_CREAT | sys.O_TRUNC | sys.O_NOFOLLOW, sys.O_RDWR | sys.O_SYNC | sys.O_DSYNC,
			}
			paths := []string{w.w + "/a/b/f", w.w + "/new", w.w + "/a", w.w + "/l", w.w + "/dangling", w.w, "/", w.out + "/secret", w.out + "/new", w.w + "/missing/x"}
			for _, p := range paths {
				for _, flag := range flags {
					_, errno := g.OpenFile(p[1:], flag, 0o644)
					require.Equal(w, "EROFS", errnoName(errno), "%s %x", p, flag)
				}
			}
			require.Equal(w, before, snapshot(w, w.dir))
		}
	})
}

func TestF9(t *testing.T) {
	each(t, func(w *world) {
		w.link("a/b/f", "w/l")
		before := snapshot(w, w.dir)
		g := w.jail.FS(nil)
		for _, p := range []string{w.w + "/a/b/f", w.w + "/a", w.w + "/l", w.w + "/new", w.w, "/", w.out + "/secret"} {
			p = p[1:]
			for name, errno := range map[string]sys.Errno{
				"mkdir": g.Mkdir(p, 0o755), "chmod": g.Chmod(p, 0), "rename from": g.Rename(p, w.w[1:]+"/x"), "rename to": g.Rename(w.w[1:]+"/a/b/f", p),
				"rmdir": g.Rmdir(p), "unlink": g.Unlink(p), "link from": g.Link(p, w.w[1:]+"/x"), "link to": g.Link(w.w[1:]+"/a/b/f", p),
				"symlink": g.Symlink("/etc/passwd", p), "utimens": g.Utimens(p, 1, 1),
			} {
				require.Equal(w, "EROFS", errnoName(errno), "%s %s", name, p)
			}
		}
		for _, p := range []string{w.w + "/a/b/f", w.w + "/a", "/"} {
			f, errno := g.OpenFile(p[1:], 0, 0)
			require.Zero(w, errno)
			_, write := f.Write([]byte("x"))
			_, pwrite := f.Pwrite([]byte("x"), 0)
			for name, errno := range map[string]sys.Errno{
				"write": write, "pwrite": pwrite, "truncate": f.Truncate(0), "grow": f.Truncate(100), "utimens": f.Utimens(1, 1), "append": f.SetAppend(true),
			} {
				require.Equal(w, "EROFS", errnoName(errno), "%s %s", name, p)
			}
			require.Zero(w, f.Sync())
			require.Zero(w, f.Datasync())
			require.Zero(w, f.Close())
			require.Zero(w, f.Close())
		}
		require.Equal(w, before, snapshot(w, w.dir))
	})
}

func TestFSReads(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/.env", secret)
		w.link("a/b/f", "w/l")
		w.link("../out/secret", "w/o")
		w.write("w/dir/x", "x")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w}}, Deny: []string{".env"}}, nil)
		g := w.jail.FS(nil)

		f, errno := g.OpenFile(w.w[1:]+"/l", 0, 0)
		require.Zero(w, errno)
		buf := make([]byte, 4)
		n, errno := f.Read(buf)
		require.Equal(w, []any{4, sys.Errno(0), "insi"}, []any{n, errno, string(buf)})
		n, errno = f.Pread(buf, 2)
		require.Equal(w, []any{4, sys.Errno(0), "side"}, []any{n, errno, string(buf)})
		off, errno := f.Seek(-1, io.SeekEnd)
		require.Equal(w, []any{int64(5), sys.Errno(0)}, []any{off, errno})
		n, errno = f.Read(buf)
		require.Equal(w, []any{1, sys.Errno(0)}, []any{n, errno})
		n, errno = f.Read(buf)
		require.Equal(w, []any{0, sys.Errno(0)}, []any{n, errno}, "the end is no error")
		st, errno := f.Stat()
		require.Zero(w, errno)
		want, err := os.Stat(w.w + "/a/b/f")
		require.NoError(w, err)
		require.Equal(w, []any{want.Size(), want.Mode(), want.ModTime().UnixNano()}, []any{st.Size, st.Mode, st.Mtim})
		ino, _ := f.Ino()
		dev, _ := f.Dev()
		require.Equal(w, []uint64{st.Ino, st.Dev}, []uint64{ino, dev})
		isDir, _ := f.IsDir()
		require.False(w, isDir)
		_, errno = f.Readdir(1)
		require.Equal(w, sys.ENOTDIR, errno)
		require.Zero(w, f.Close())

		st, errno = g.Lstat(w.w[1:] + "/l")
		require.Zero(w, errno)
		require.Equal(w, fs.ModeSymlink, st.Mode.Type())
		text, errno := g.Readlink(w.w[1:] + "/o")
		require.Equal(w, []any{"../out/secret", sys.Errno(0)}, []any{text, errno})
		_, errno = g.OpenFile(w.w[1:]+"/l", sys.O_NOFOLLOW, 0)
		require.Equal(w, sys.ELOOP, errno)
		_, errno = g.OpenFile(w.w[1:]+"/l", sys.O_DIRECTORY, 0)
		require.Equal(w, sys.ENOTDIR, errno)
		_, errno = g.Stat(w.w[1:] + "/missing")
		require.Equal(w, sys.ENOENT, errno)

		// The same answer whether something is there or not.
		for _, p := range []string{w.out + "/secret", w.out + "/missing", w.w + "/o", w.w + "/.env", w.w + "/a/.env", w.dir, "/etc", "/etc/passwd", "/proc/self/environ", w.w + "x"} {
			_, errno := g.OpenFile(p[1:], 0, 0)
			require.Equal(w, "EACCES", errnoName(errno), p)
			_, errno = g.Stat(p[1:])
			require.Equal(w, "EACCES", errnoName(errno), p)
		}

		// A directory, bit by bit and again from its beginning.
		w.write("w/.env2", "")
		d, errno := g.OpenFile(w.w[1:], sys.O_DIRECTORY, 0)
		require.Zero(w, errno)
		isDir, _ = d.IsDir()
		require.True(w, isDir)
		for range 2 {
			var names []string
			for {
				list, errno := d.Readdir(2)
				require.Zero(w, errno)
				for _, e := range list {
					names = append(names, e.Name)
					fi, err := os.Lstat(w.w + "/" + e.Name)
					require.NoError(w, err)
					require.Equal(w, fi.Mode().Type(), e.Type, e.Name)
					require.NotZero(w, e.Ino)
				}
				if len(list) < 2 {
					break
				}
			}
			slices.Sort(names)
			require.Equal(w, []string{".env2", "a", "dir", "l", "o"}, names)
			_, errno = d.Seek(0, io.SeekStart)
			require.Zero(w, errno)
		}
		all, errno := d.Readdir(-1)
		require.Zero(w, errno)
		require.Len(w, all, 5)
		_, errno = d.Seek(1, io.SeekStart)
		require.Equal(w, sys.EINVAL, errno)
		_, errno = d.Read(buf)
		require.Equal(w, sys.EISDIR, errno)
		require.Zero(w, d.Close())

		// "/" is there, and empty.
		for _, p := range []string{"", ".", "/", "./"} {
			r, errno := g.OpenFile(p, sys.O_DIRECTORY, 0)
			require.Zero(w, errno)
			list, errno := r.Readdir(-1)
			require.Equal(w, []any{0, sys.Errno(0)}, []any{len(list), errno})
			st, errno := r.Stat()
			require.Equal(w, []any{fs.ModeDir | 0o555, sys.Errno(0)}, []any{st.Mode, errno})
			st2, errno := g.Stat(p)
			require.Zero(w, errno)
			require.Equal(w, st, st2)
			require.Zero(w, r.Close())
		}
		_, errno = g.Stat("..")
		require.Equal(w, "EACCES", errnoName(errno))
	})
}

// TestR7OpenFiles: a guest has only so many files open at a time.
func TestR7OpenFiles(t *testing.T) {
	each(t, func(w *world) {
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w}}}, nil)
		g, other := w.jail.FS(&FSOptions{MaxOpen: 3}), w.jail.FS(&FSOptions{MaxOpen: 3})
		var files []sys.File
		for _, p := range []string{w.w + "/a/b/f", w.w, "/"} {
			f, errno := g.OpenFile(p[1:], 0, 0)
			require.Zero(w, errno)
			files = append(files, f)
		}
		for range 3 {
			_, errno := g.OpenFile(w.w[1:], 0, 0)
			require.Equal(w, sys.EAGAIN, errno)
			_, errno = g.OpenFile(strings.TrimPrefix(w.w, "/")+"/missing", 0, 0)
			require.Equal(w, sys.EAGAIN, errno)
		}
		f, errno := other.OpenFile(w.w[1:], 0, 0)
		require.Zero(w, errno)
		require.Zero(w, f.Close())
		for _, f := range files {
			require.Zero(w, f.Close())
			require.Zero(w, f.Close(), "twice counts once")
		}
		for range 10 { // failures do not count
			_, errno := g.OpenFile(w.w[1:]+"/missing", 0, 0)
			require.Equal(w, sys.ENOENT, errno)
		}
		for range 3 {
			f, errno := g.OpenFile(w.w[1:], 0, 0)
			require.Zero(w, errno)
			defer f.Close()
		}
		_, errno = g.OpenFile(w.w[1:], 0, 0)
		require.Equal(w, sys.EAGAIN, errno)
	})
}

// TestF13Readdir: the entries that wazero keeps of open directories are bounded
// together, however they are asked for.
func TestF13Readdir(t *testing.T) {
	each(t, func(w *world) {
		for i := range 10 {
			w.write(fmt.Sprintf("w/many/%d", i), "")
			w.write(fmt.Sprintf("w/more/%d", i), "")
		}
		g := w.jail.FS(&FSOptions{MaxEntries: 15})
		open := func(name string) sys.File {
			d, errno := g.OpenFile(w.w[1:]+"/"+name, sys.O_DIRECTORY, 0)
			require.Zero(w, errno)
			return d
		}
		read := func(d sys.File, n, want int, wantErrno sys.Errno) {
			w.Helper()
			list, errno := d.Readdir(n)
			require.Equal(w, []any{want, wantErrno}, []any{len(list), errno})
		}
		many, more := open("many"), open("more")
		read(many, -1, 10, 0)
		read(more, 3, 3, 0)
		read(more, 1<<30, 2, sys.ERANGE)
		_, errno := many.Seek(0, io.SeekStart) // what was read is forgotten
		require.Zero(w, errno)
		read(many, 4, 4, 0)
		_, errno = more.Seek(0, io.SeekStart)
		require.Zero(w, errno)
		read(more, -1, 10, 0)
		read(many, 3, 1, sys.ERANGE)
		require.Zero(w, more.Close())
		read(many, 2, 2, 0)
		require.Zero(w, many.Close())
		require.Zero(w, g.(*guestFS).entries)
	})
}

// TestR10Count: each operation is counted before it is done, a long listing more
// than once; when the count says no, the operation panics and holds nothing.
func TestR10Count(t *testing.T) {
	each(t, func(w *world) {
		for i := range 2500 {
			w.write(fmt.Sprintf("w/many/%d", i), "")
		}
		w.link("a", "w/l")
		count, limit := 0, 1<<30
		enough := errors.New("enough")
		g := w.jail.FS(&FSOptions{Count: func() error {
			if count++; count > limit {
				return enough
			}
			return nil
		}})
		var f, d sys.File
		ops := []struct {
			name string
			n    int
			do   func()
		}{
			{"open", 1, func() { f, _ = g.OpenFile(w.w[1:]+"/a/b/f", 0, 0) }},
			{"open a directory", 1, func() { d, _ = g.OpenFile(w.w[1:]+"/many", sys.O_DIRECTORY, 0) }},
			{"open to write", 1, func() { _, _ = g.OpenFile(w.w[1:]+"/a/b/f", sys.O_RDWR, 0) }},
			{"open what is missing", 1, func() { _, _ = g.OpenFile("x", 0, 0) }},
			{"stat", 1, func() { _, _ = g.Stat(w.w[1:] + "/a") }},
			{"lstat", 1, func() { _, _ = g.Lstat(w.w[1:] + "/a") }},
			{"readlink", 1, func() { _, _ = g.Readlink(w.w[1:] + "/l") }},
			{"fstat", 1, func() { _, _ = f.Stat() }},
			{"read", 1, func() { _, _ = f.Read(make([]byte, 1)) }},
			{"pread", 1, func() { _, _ = f.Pread(make([]byte, 1), 0) }},
			{"seek", 1, func() { _, _ = f.Seek(0, io.SeekStart) }},
			{"readdir", 3, func() { _, _ = d.Readdir(-1) }},
			{"rewind", 1, func() { _, _ = d.Seek(0, io.SeekStart) }},
		}
		for _, op := range ops {
			before := count
			op.do()
			require.Equal(w, op.n, count-before, op.name)
		}
		for _, op := range ops {
			limit = count + op.n - 1
			require.PanicsWithValue(w, enough, op.do, op.name)
		}
		limit = 1 << 30
		require.Zero(w, f.Close())
		require.Zero(w, d.Close(), "the panic left no lock behind")
		require.NoError(w, g.Close())
	})
}

// TestR13Transfer: one read moves at most 1 MiB.
func TestR13Transfer(t *testing.T) {
	each(t, func(w *world) {
		p := w.write("w/large", strings.Repeat("x", 3<<20))
		g := w.jail.FS(nil)
		f, errno := g.OpenFile(p[1:], 0, 0)
		require.Zero(w, errno)
		buf := make([]byte, 4<<20)
		for _, want := range []int{1 << 20, 1 << 20, 1 << 20, 0} {
			n, errno := f.Read(buf)
			require.Equal(w, []any{want, sys.Errno(0)}, []any{n, errno})
		}
		n, errno := f.Pread(buf, 10)
		require.Equal(w, []any{1 << 20, sys.Errno(0)}, []any{n, errno})
		n, errno = f.Pread(buf, 3<<20-5)
		require.Equal(w, []any{5, sys.Errno(0)}, []any{n, errno})
		require.Zero(w, f.Close())
	})
}

// TestF1LongPath: a path that the kernel would refuse for its length is refused
// without a look at it.
func TestF1LongPath(t *testing.T) {
	each(t, func(w *world) {
		g := w.jail.FS(nil)
		long := w.w[1:] + strings.Repeat("/.", (4095-len(w.w))/2) // with the slash before it, 4094 or 4095 bytes
		_, errno := g.Stat(long)
		require.Zero(w, errno)
		for _, p := range []string{long + "/./", strings.Repeat("x", 16<<20)} {
			_, errno = g.Stat(p)
			require.Equal(w, sys.ENAMETOOLONG, errno)
			_, errno = g.Lstat(p)
			require.Equal(w, sys.ENAMETOOLONG, errno)
			_, errno = g.OpenFile(p, 0, 0)
			require.Equal(w, sys.ENAMETOOLONG, errno)
			_, errno = g.Readlink(p)
			require.Equal(w, sys.ENAMETOOLONG, errno)
		}
	})
}

func TestFSClose(t *testing.T) {
	each(t, func(w *world) {
		w.link("a", "w/l")
		g, other := w.jail.FS(nil), w.jail.FS(nil)
		kept, errno := other.OpenFile(w.w[1:]+"/a/b/f", 0, 0)
		require.Zero(w, errno)
		open := map[string]sys.File{}
		for _, p := range []string{w.w + "/a/b/f", w.w, "/"} {
			f, errno := g.OpenFile(p[1:], 0, 0)
			require.Zero(w, errno)
			open[p] = f
		}
		gone, errno := g.OpenFile(w.w[1:], 0, 0)
		require.Zero(w, errno)
		require.Zero(w, gone.Close())

		require.NoError(w, g.Close())
		require.NoError(w, g.Close(), "it may be closed again")
		for p, f := range open {
			_, errno := f.Stat()
			require.Equal(w, sys.EBADF, errno, p)
			_, errno = f.Seek(0, io.SeekStart)
			require.Equal(w, sys.EBADF, errno, p)
			if dir, _ := f.IsDir(); dir {
				_, errno = f.Readdir(-1)
			} else {
				_, errno = f.Read(make([]byte, 1))
			}
			require.Equal(w, sys.EBADF, errno, p)
			require.Zero(w, f.Close(), "the guest's own Close comes late")
			_, errno = g.OpenFile(p[1:], 0, 0)
			require.Equal(w, sys.EBADF, errno, p)
			_, errno = g.Stat(p[1:])
			require.Equal(w, sys.EBADF, errno, p)
		}
		_, errno = g.Readlink(w.w[1:] + "/l")
		require.Equal(w, sys.EBADF, errno)
		_, errno = g.OpenFile(w.w[1:]+"/new", sys.O_CREAT, 0)
		require.Equal(w, "EROFS", errnoName(errno))
		// Another guest's files are not touched.
		_, errno = kept.Read(make([]byte, 1))
		require.Zero(w, errno)
		require.NoError(w, other.Close())
	})
}

// TestFSCloseRaces closes while others open, read and close: afterwards nothing
// is open, which each checks.
func TestFSCloseRaces(t *testing.T) {
	each(t, func(w *world) {
		for range 20 {
			g := w.jail.FS(nil)
			var group sync.WaitGroup
			for _, p := range []string{w.w + "/a/b/f", w.w, "/"} {
				group.Go(func() {
					for {
						f, errno := g.OpenFile(p[1:], 0, 0)
						if errno == sys.EBADF {
							return
						}
						if errno == sys.EAGAIN {
							continue // the limit; it waits for Close
						}
						if errno != 0 {
							panic(errno)
						}
						_, _ = f.Read(make([]byte, 1))
						_, _ = f.Readdir(-1)
					}
				})
			}
			time.Sleep(time.Millisecond)
			group.Go(func() { _ = g.Close() })
			require.NoError(w, g.Close())
			group.Wait()
		}
	})
}

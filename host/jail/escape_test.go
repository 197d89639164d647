//go:build linux || darwin

package jail

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"
	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// The vectors F1 to F17 of spec/threats.md; those that need Linux are in
// escape_linux_test.go, F6 in race_linux_test.go, F14 and F15 in
// protected_test.go.

func TestF1(t *testing.T) {
	each(t, func(w *world) {
		w.mkdir("w-sib")
		w.write("w-sib/f", secret)
		inside := w.w + "/a/b/f"

		// Spellings of a file inside.
		for _, p := range []string{
			inside, w.w + "//a/./b///f", "//" + inside, w.w + "/a/b/../b/f", w.w + "/a/../a/b/f",
			w.w + "/../w/a/b/f", w.dir + "/w/a/b/../../../w/a/b/f", "/.." + inside,
		} {
			w.reads(p, "inside")
		}
		// What is outside is denied, the same whether it exists or not.
		for _, p := range []string{
			"/", w.dir, w.w + "/..", w.w + "/../out/secret", w.w + "/a/../../out/secret", w.out + "/secret", w.out,
			w.w + "-sib/f", w.w + "-sib", "/etc/passwd", "/etc/shadow", w.w + "/../w-sib/f", w.w + "/a/b/../../../w-sib/f",
			w.dir + "/missing", w.out + "/missing/further", "/missing", w.w + "/" + strings.Repeat("../", 40) + "etc/passwd",
		} {
			w.denied(p)
		}
		have, missing := w.denied(w.out+"/secret"), w.denied(w.out+"/missing")
		require.Equal(w, have.Why, missing.Why)
		require.Equal(w, &DeniedError{w.out + "/secret", "it is outside the grants", "--grant ro:" + w.out + "/secret"}, have)
		require.Equal(w, "--grant rw:"+w.out+"/secret", w.noWrite(w.out+"/secret").Ask)
		require.Equal(w, "--grant rw:"+w.out+"/secret", have.AskToWrite())
		require.Equal(w, "--grant 'ro:/it'\\''s'", w.denied("/it's").Ask)

		// What is no path, or none of ours.
		w.fails("", syscall.ENOENT)
		for _, p := range []string{".", "..", "a/b/f", "./a", "~/f", `C:\w\a`, "\x00", inside + "\x00", "/etc\x00/" + inside} {
			w.fails(p, syscall.EINVAL)
		}
		// A backslash is a letter.
		w.write(`w/a\..\b`, "backslash")
		w.reads(w.w+`/a\..\b`, "backslash")
		w.denied(w.w + `\..\out\secret`)

		w.fails(w.w+"/"+strings.Repeat("n", 256), syscall.ENAMETOOLONG)
		w.fails(w.w+strings.Repeat("/.", 5000), syscall.ENAMETOOLONG)
		w.fails("/"+strings.Repeat("n", 4095), syscall.ENAMETOOLONG)
		name := strings.Repeat("n", 255)
		w.write("w/"+name, "long")
		w.reads(w.w+"/"+name, "long")
		w.reads(w.w+strings.Repeat("/.", 1500)+"/a/b/f", "inside")

		// ".." is the parent of what is there, not of the name.
		w.fails(w.w+"/missing/../a/b/f", syscall.ENOENT)
		w.fails(w.w+"/a/b/f/../f", syscall.ENOTDIR)
		w.fails(w.w+"/a/b/f/", syscall.ENOTDIR)
		w.fails(w.w+"/a/b/f/.", syscall.ENOTDIR)
		w.fails(w.w+"/a/b/f/x", syscall.ENOTDIR)
		w.fails(w.w+"/missing", syscall.ENOENT)
		w.untouched()
	})
}

func TestF2(t *testing.T) {
	// No operation that a guest reaches makes a link; F8 and F9 try them. What a
	// guest can do is move one that exists.
	each(t, func(w *world) {
		w.link("../out", "w/a/up") // to w/out, which is missing
		w.fails(w.w+"/a/up", syscall.ENOENT)
		tg, err := w.jail.Target(w.w+"/a/up", false)
		require.NoError(w, err)
		defer tg.Close()
		to, err := w.jail.Target(w.w+"/up", false)
		require.NoError(w, err)
		defer to.Close()
		require.NoError(w, tg.Dir.RenameTo("up", to.Dir, "up")) // now to out
		for _, p := range []string{"/up", "/up/secret", "/up/missing", "/up/../out/secret"} {
			w.denied(w.w + p)
		}
		w.untouched()
	})
}

func TestF3(t *testing.T) {
	each(t, func(w *world) {
		w.link("../out", "w/rel")
		w.link(w.out, "w/abs")
		w.link("/etc/passwd", "w/etc")
		w.link("../out/missing", "w/dangling-out")
		w.link(w.out+"/secret", "w/file-out")
		w.link("a", "w/dir")
		w.link(w.w+"/a", "w/abs-in")
		w.link("a/b/f", "w/file")
		w.link("../w/a/b/f", "w/out-and-in")
		w.link("missing", "w/dangling")
		w.link("a/missing/x", "w/dangling-deep")
		w.link("loop2", "w/loop1")
		w.link("loop1", "w/loop2")
		w.link("self/x", "w/self")

		for _, p := range []string{
			"/rel", "/rel/secret", "/rel/missing", "/abs", "/abs/secret", "/abs/missing/x", "/etc", "/file-out", "/dangling-out",
			"/dir/../../out/secret", "/rel/../w/../out/secret",
		} {
			w.denied(w.w + p)
		}
		for _, p := range []string{"/dir/b/f", "/abs-in/b/f", "/file", "/out-and-in", "/abs-in/../dir/b/../b/f"} {
			w.reads(w.w+p, "inside")
		}
		real, err := w.jail.RealPath(w.w + "/out-and-in")
		require.NoError(w, err)
		require.Equal(w, w.w+"/a/b/f", real)
		w.fails(w.w+"/dangling", syscall.ENOENT)
		for _, p := range []string{"/loop1", "/loop1/x", "/self", "/self/y"} {
			w.fails(w.w+p, syscall.ELOOP)
			_, err := w.jail.Target(w.w+p, true)
			w.isErrno(w.w+p, err, syscall.ELOOP)
		}

		// The kernel follows 40 links and no more.
		prev := "a/b/f"
		for i := 1; i <= 41; i++ {
			w.link(prev, fmt.Sprintf("w/c%d", i))
			prev = fmt.Sprintf("c%d", i)
		}
		w.reads(w.w+"/c40", "inside")
		w.fails(w.w+"/c41", syscall.ELOOP)
		_, err = os.ReadFile(w.w + "/c41")
		require.ErrorIs(w, err, syscall.ELOOP, "the kernel agrees")

		// A write through a link changes its target and keeps the link; a
		// dangling one makes what it names.
		require.NoError(w, w.put(w.w+"/file", "changed"))
		w.reads(w.w+"/a/b/f", "changed")
		require.NoError(w, w.put(w.w+"/dangling", "made"))
		w.reads(w.w+"/missing", "made")
		text, err := w.jail.Readlink(w.w + "/dangling")
		require.NoError(w, err)
		require.Equal(w, "missing", text)
		_, err = w.jail.Target(w.w+"/dangling-deep", true)
		w.isErrno(w.w+"/dangling-deep", err, syscall.ENOENT)

		// The link itself can be looked at and removed, wherever it leads.
		e, err := w.jail.Stat(w.w+"/abs", false)
		require.NoError(w, err)
		require.Equal(w, [3]any{"abs", byte(abi.TypeLink), byte(abi.TypeNone)}, [3]any{e.Name, e.Type, e.Target})
		tg, err := w.jail.Target(w.w+"/abs", false)
		require.NoError(w, err)
		defer tg.Close()
		require.Equal(w, w.w+"/abs", tg.Path)
		require.NoError(w, tg.Dir.Remove(tg.Name))
		w.untouched()
	})
}

func TestF4(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/d/e/f", "deep")
		w.write("w/d/x", "beside")
		w.link("d/e", "w/l")
		w.link("../out", "w/o")
		w.link("../out/secret", "w/s")
		w.link("a/b/f", "w/file")
		w.link("missing", "w/dangling")
		w.link("d/e/", "w/slash")
		w.link("../out/", "w/oslash")

		for _, p := range []string{
			"/o", "/o/", "/o//", "/o/.", "/o/./", "/o/..", "/o/../w/../out", "/o/./secret", "/o//secret",
			"/s", "/s/", "/s/.", "/oslash", "/oslash/", "/oslash/secret", "/l/../../../out/secret", "/o/../out/secret",
		} {
			w.denied(w.w + p)
		}
		// Through a link, ".." is the parent of where it leads.
		w.reads(w.w+"/l/../x", "beside")
		w.reads(w.w+"/l/f", "deep")
		w.reads(w.w+"/slash/f", "deep")
		w.reads(w.w+"/slash/../x", "beside")
		w.fails(w.w+"/l/../a/b/f", syscall.ENOENT)
		require.Equal(w, []string{"f"}, w.names(w.w+"/l/"))
		require.Equal(w, []string{"f"}, w.names(w.w+"/l/."))
		require.Equal(w, []string{"e", "x"}, w.names(w.w+"/l/.."))
		for _, p := range []string{"/file/", "/file/.", "/file/..", "/l/f/", "/l/f/.."} {
			w.fails(w.w+p, syscall.ENOTDIR)
		}
		w.fails(w.w+"/dangling/", syscall.ENOENT)

		// With a slash, the link is followed, also by what does not follow.
		e, err := w.jail.Stat(w.w+"/l/", false)
		require.NoError(w, err)
		require.Equal(w, byte(abi.TypeDir), e.Type)
		_, err = w.jail.Stat(w.w+"/o/", false)
		w.isDenied(w.w+"/o/", err)
		_, err = w.jail.Readlink(w.w + "/o/.")
		w.isDenied(w.w+"/o/.", err)
		_, err = w.jail.Readlink(w.w + "/l/")
		w.isErrno(w.w+"/l/", err, syscall.EINVAL)
		for _, follow := range []bool{true, false} {
			for _, p := range []string{"/o/", "/o/.", "/o/new", "/oslash/new", "/l/../../../out/new"} {
				_, err := w.jail.Target(w.w+p, follow)
				w.isDenied(w.w+p, err)
			}
			for p, errno := range map[string]error{"/a/b/f/": syscall.ENOTDIR, "/new/": syscall.EISDIR, "/dangling/": syscall.EISDIR} {
				_, err := w.jail.Target(w.w+p, follow)
				w.isErrno(w.w+p, err, errno)
			}
			for p, real := range map[string]string{"/l/": "/d/e", "/l/.": "/d/e", "/l/..": "/d", "/l/../x": "/d/x", "/d/": "/d"} {
				tg, err := w.jail.Target(w.w+p, follow)
				require.NoError(w, err, p)
				require.Equal(w, w.w+real, tg.Path)
				require.Equal(w, filepath.Dir(w.w+real), tg.Dir.Path())
				require.NoError(w, tg.Close())
			}
		}
		w.untouched()
	})
}

func TestF5(t *testing.T) {
	each(t, func(w *world) {
		for _, p := range []string{"/..", "/../", "/../.", "/../out", "/a/../..", "/a/b/../../..", "/../w/..", "/./../out/secret"} {
			w.denied(w.w + p)
		}
		// Another grant may hold what is above.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + "/a"}, {Path: w.out}}}, nil)
		w.reads(w.w+"/a/../../out/secret", secret)
		w.denied(w.w + "/a/..")
		w.denied(w.w + "/a/../../out/../w")
	})
}

func TestF7(t *testing.T) {
	each(t, func(w *world) {
		// A hard link is a file of the grant; its other names are not touched
		// by replacing it.
		require.NoError(w, os.Link(w.out+"/secret", w.w+"/hard"))
		w.reads(w.w+"/hard", secret)
		tg, err := w.jail.Target(w.w+"/hard", true)
		require.NoError(w, err)
		defer tg.Close()
		w.write("w/staged", "new")
		require.NoError(w, tg.Dir.Rename("staged", "hard"))
		w.reads(w.w+"/hard", "new")
		w.untouched()

		// Nothing that is for reading becomes writable by a second name.
		w.mkdir("ro")
		w.write("ro/f", "kept")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}, {Path: w.dir + "/ro"}}}, nil)
		f := w.jail.FS(nil)
		require.Equal(w, "EROFS", errnoName(f.Link(w.dir[1:]+"/ro/f", w.w[1:]+"/f2")))
		require.Equal(w, "EROFS", errnoName(f.Rename(w.dir[1:]+"/ro/f", w.w[1:]+"/f2")))
		_, err = w.jail.Target(w.dir+"/ro/f", false)
		require.Equal(w, "it is granted for reading only", w.isDenied(w.dir+"/ro/f", err).Why)
		require.Equal(w, []string{"a", "hard"}, w.names(w.w))
	})
}

func TestF11(t *testing.T) {
	each(t, func(w *world) {
		require.NoError(w, unix.Mkfifo(w.w+"/fifo", 0o644))
		sock, err := net.Listen("unix", w.w+"/sock")
		require.NoError(w, err)
		defer sock.Close()
		special := []string{"/fifo", "/sock", "/link"}
		w.link("fifo", "w/link")
		if os.Geteuid() == 0 {
			require.NoError(w, mknod(w.w+"/zero"))
			special = append(special, "/zero")
		}
		inTime(w, 5*time.Second, func() {
			for _, p := range special {
				p = w.w + p
				_, err := w.jail.Open(p)
				w.isErrno(p, err, ErrNotRegular)
				_, err = w.jail.List(w.Context(), p, true, 0)
				w.isErrno(p, err, ErrNotRegular)
				_, err = w.jail.Target(p, true)
				w.isErrno(p, err, ErrNotRegular)
				e, err := w.jail.Stat(p, true)
				require.NoError(w, err)
				require.Equal(w, byte(abi.TypeOther), e.Type)
				_, errno := w.jail.FS(nil).OpenFile(p[1:], 0, 0)
				require.Equal(w, "EACCES", errnoName(errno))
				_, err = w.jail.Open(p + "/x")
				w.isErrno(p+"/x", err, syscall.ENOTDIR)

				// Who holds the directory does not wait either.
				tg, err := w.jail.Target(p, false)
				require.NoError(w, err)
				for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE | os.O_TRUNC} {
					_, err = tg.Dir.Open(tg.Name, flag, 0o644)
					if filepath.Base(p) == "link" {
						require.ErrorIs(w, err, syscall.ELOOP)
					} else {
						require.ErrorIs(w, err, ErrNotRegular)
					}
				}
				tg.Close()
			}
			w.denied("/dev/zero")
			w.denied("/dev/tty")
			require.Len(w, w.names(w.w), len(special)+1)
		})
		// A device that was granted by name.
		_, err = New(&tool.Grant{Paths: []tool.PathGrant{{Path: "/dev/zero"}}}, &Options{Backend: w.backend})
		require.ErrorIs(w, err, ErrNotRegular)
	})
}

func TestF17(t *testing.T) {
	each(t, func(w *world) {
		// The root is replaced by a link to the outside: what was granted is
		// still what was there.
		require.NoError(w, os.Rename(w.w, w.dir+"/moved"))
		w.link("out", "w")
		w.reads(w.w+"/a/b/f", "inside")
		w.fails(w.w+"/secret", syscall.ENOENT)
		w.link(w.w+"/a/b/f", "moved/abs") // names the grant, so it stays inside
		w.reads(w.w+"/abs", "inside")
		w.denied(w.dir + "/moved/a/b/f")
		require.NoError(w, w.put(w.w+"/new", "text"))
		require.FileExists(w, w.dir+"/moved/new")
		w.untouched()

		// A deleted root: errors, nothing else.
		require.NoError(w, os.RemoveAll(w.dir+"/moved"))
		w.fails(w.w+"/a/b/f", syscall.ENOENT)
		_, err := w.jail.List(w.Context(), w.w, true, 0)
		require.ErrorIs(w, err, syscall.ENOENT)
		require.ErrorIs(w, w.put(w.w+"/new", "text"), syscall.ENOENT)
		w.untouched()
	})
	each(t, func(w *world) {
		// A granted file is a name in a directory that is held.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + "/a/b/f", Write: true}}}, nil)
		require.NoError(w, os.Remove(w.w+"/a/b/f"))
		w.link(w.out+"/secret", "w/a/b/f")
		w.denied(w.w + "/a/b/f")
		require.NoError(w, os.Remove(w.w+"/a/b/f"))
		w.write("w/a/b/f/g", "below")
		w.denied(w.w + "/a/b/f")
		w.denied(w.w + "/a/b/f/g")
		require.NoError(w, os.RemoveAll(w.w+"/a/b/f"))
		w.puts(w.w + "/a/b/f")
		w.denied(w.w + "/a/b")
		w.noWrite(w.w + "/a/b/g")
		w.untouched()
	})
}

// inTime fails the test when run takes longer.
func inTime(w *world, limit time.Duration, run func()) {
	w.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		panic("it hangs") // a failure would wait for run in the clean-up
	}
}

func errnoName(errno sys.Errno) string {
	for _, e := range []struct {
		errno sys.Errno
		name  string
	}{{0, "ok"}, {sys.EROFS, "EROFS"}, {sys.EACCES, "EACCES"}, {sys.ENOENT, "ENOENT"}, {sys.ENOTDIR, "ENOTDIR"}, {sys.ELOOP, "ELOOP"}, {sys.EAGAIN, "EAGAIN"}} {
		if e.errno == errno {
			return e.name
		}
	}
	return errno.Error()
}

package jail

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/tool"
)

func TestF10(t *testing.T) {
	t.Setenv("JAIL_TEST_SECRET", secret)
	each(t, func(w *world) {
		held, err := os.Open(w.out + "/secret")
		require.NoError(w, err)
		defer held.Close()
		fd := strconv.Itoa(int(held.Fd()))
		pid := strconv.Itoa(os.Getpid())
		for name, text := range map[string]string{
			"root": "/proc/self/root", "cwd": "/proc/self/cwd", "fd": "/proc/self/fd", "env": "/proc/self/environ",
			"thread": "/proc/thread-self/root", "devfd": "/dev/fd/" + fd, "stdin": "/dev/stdin", "proc": "/proc", "pid": "/proc/" + pid,
		} {
			w.link(text, "w/"+name)
			w.denied(w.w + "/" + name)
			w.denied(w.w + "/" + name + "/")
			w.denied(text)
		}
		for _, p := range []string{
			"/root" + w.out + "/secret", "/root/etc/passwd", "/cwd/x", "/fd/" + fd, "/proc/self/environ", "/proc/self/mem", "/pid/root/etc/passwd",
			"/pid/environ", "/root/proc/self/environ",
		} {
			w.denied(w.w + p)
		}
		// With "/" granted, procfs and sysfs still are not.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: "/", Write: true}}}, nil)
		for _, p := range []string{
			"/proc", "/proc/", "/proc/self", "/proc/self/environ", "/proc/self/root" + w.out + "/secret", "/proc/1/root", "/proc/missing", "/sys", "/sys/kernel",
			w.w + "/root/etc/passwd", w.w + "/env", w.w + "/fd/" + fd, w.w + "/devfd", "/dev/fd/" + fd, "/dev/stdin", "/dev/pts", "/dev/pts/ptmx", "/sys/fs/cgroup",
		} {
			w.denied(p)
		}
		require.Equal(w, DeniedError{Path: "/proc", Why: "it is on a file system of the kernel"}, *w.denied("/proc"))
		require.NotContains(w, w.names("/"), "proc")
		require.NotContains(w, w.names("/"), "sys")
		require.NotContains(w, w.names("/dev"), "pts")
		_, err = w.jail.Open("/dev/null")
		w.isErrno("/dev/null", err, ErrNotRegular)
		w.reads(w.out+"/secret", secret)
		for _, p := range []string{"/proc", "/proc/self", "/sys", "/proc/self/environ"} {
			_, err := New(&tool.Grant{Paths: []tool.PathGrant{{Path: p}}}, &Options{Backend: w.backend})
			require.ErrorIs(w, err, errRefused, p)
		}
	})
}

// TestF11Unopened has a writer that waits in open(2) for a reader of the FIFO: one
// that opens it, even for a moment, lets it go on.
func TestF11Unopened(t *testing.T) {
	each(t, func(w *world) {
		fifo := w.w + "/fifo"
		require.NoError(w, unix.Mkfifo(fifo, 0o644))
		w.link("fifo", "w/link")
		thread, opened := make(chan int), make(chan error)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			thread <- unix.Gettid()
			var fd int
			err := again(func() (err error) {
				fd, err = unix.Open(fifo, unix.O_WRONLY|unix.O_CLOEXEC, 0)
				return err
			})
			if err == nil {
				err = unix.Close(fd)
			}
			opened <- err
		}()
		number := "/proc/self/task/" + strconv.Itoa(<-thread) + "/syscall"
		require.Eventually(w, func() bool {
			b, err := os.ReadFile(number)
			return err == nil && strings.HasPrefix(string(b), strconv.Itoa(unix.SYS_OPENAT)+" ")
		}, 5*time.Second, time.Millisecond, "the writer waits")

		g := w.jail.FS(nil)
		defer g.Close()
		for _, p := range []string{fifo, w.w + "/link", w.w + "/a/../fifo"} {
			_, err := w.jail.Open(p)
			w.isErrno(p, err, ErrNotRegular)
			_, err = w.jail.List(w.Context(), p, true, 0)
			w.isErrno(p, err, ErrNotRegular)
			_, err = w.jail.Target(p, true)
			w.isErrno(p, err, ErrNotRegular)
			_, err = w.jail.Stat(p, true)
			require.NoError(w, err)
			_, errno := g.OpenFile(p[1:], 0, 0)
			require.Equal(w, "EACCES", errnoName(errno))
			tg, err := w.jail.Target(p, false)
			require.NoError(w, err)
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
				_, err = tg.Dir.Open("fifo", flag, 0o644)
				require.ErrorIs(w, err, ErrNotRegular)
			}
			require.NoError(w, tg.Close())
		}
		require.Len(w, w.names(w.w), 3)
		select {
		case err := <-opened:
			require.FailNow(w, "the FIFO was opened", "the writer got %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		reader, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
		require.NoError(w, err)
		require.NoError(w, <-opened)
		require.NoError(w, reader.Close())
	})
}

// TestReopen shows that what was looked at is what is opened, whatever has the
// name by then.
func TestReopen(t *testing.T) {
	descriptorsBefore(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/f", []byte("seen"), 0o644))
	fd, err := unix.Open(dir+"/f", lookFlags, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, os.Rename(dir+"/f", dir+"/g"))
	require.NoError(t, unix.Mkfifo(dir+"/f", 0o644))
	again, err := reopen(fd, readFlags&^unix.O_NOFOLLOW)
	require.NoError(t, err)
	f := os.NewFile(uintptr(again), "f")
	defer f.Close()
	b := make([]byte, 8)
	n, err := f.Read(b)
	require.NoError(t, err)
	require.Equal(t, "seen", string(b[:n]))
}

// TestF12 runs itself again in a mount namespace of its own, where a bind mount
// of an ordinary directory, procfs, and a file of procfs are inside the grant.
func TestF12(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMounts$", "-test.v")
	cmd.Env = append(os.Environ(), "JAIL_TEST_MOUNTS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "in a mount namespace of its own (the test, run as root, needs CAP_SYS_ADMIN):\n%s", out)
	require.Contains(t, string(out), "--- PASS: TestMounts/os.Root", "the tests ran")
}

func TestMounts(t *testing.T) {
	if os.Getenv("JAIL_TEST_MOUNTS") == "" {
		t.Skip("TestF12 runs it in a mount namespace of its own")
	}
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	each(t, func(w *world) {
		bind := func(from, to string) {
			require.NoError(w, unix.Mount(from, w.w+"/"+to, "", unix.MS_BIND|unix.MS_REC, ""))
			w.Cleanup(func() { require.NoError(w, unix.Unmount(w.w+"/"+to, unix.MNT_DETACH)) })
		}
		for _, d := range []string{"w/plain", "w/tmp", "w/proc", "w/sys", "w/self"} {
			w.mkdir(d)
		}
		w.write("data/f", "mounted")
		w.write("w/environ", "covered")
		w.write("w/file", "covered")
		bind(w.dir+"/data", "plain")
		bind(w.dir+"/data/f", "file")
		bind("/proc", "proc")
		bind("/sys", "sys")
		bind("/proc/self/", "self")
		bind("/proc/self/environ", "environ")
		require.NoError(w, unix.Mount("tmpfs", w.w+"/tmp", "tmpfs", 0, ""))
		w.Cleanup(func() { require.NoError(w, unix.Unmount(w.w+"/tmp", unix.MNT_DETACH)) })
		w.write("w/tmp/in", "tmpfs")
		w.link("../a/b/f", "w/tmp/l")
		w.link("proc/self/environ", "w/le")
		// The mounts are there when the jail is made, and when they are not.
		for range 2 {
			w.reads(w.w+"/plain/f", "mounted")
			w.reads(w.w+"/plain/../plain/f", "mounted")
			w.reads(w.w+"/file", "mounted")
			w.reads(w.w+"/tmp/in", "tmpfs")
			w.reads(w.w+"/tmp/l", "inside")
			w.puts(w.w + "/plain/new")
			w.puts(w.w + "/tmp/new")
			for _, p := range []string{
				"/proc", "/proc/self/environ", "/proc/self/root/etc/passwd", "/proc/self", "/sys", "/sys/kernel", "/self", "/self/environ",
				"/self/root/etc/passwd", "/environ", "/le", "/proc/missing", "/proc/../proc/self/environ",
			} {
				w.denied(w.w + p)
			}
			require.Equal(w, []string{"a", "file", "le", "plain", "tmp"}, w.names(w.w))
			tg, err := w.jail.Target(w.w+"/a/x", true)
			require.NoError(w, err)
			up, err := w.jail.Target(w.w+"/x", true)
			require.NoError(w, err)
			_, err = up.Dir.Open("environ", os.O_RDONLY, 0)
			require.ErrorIs(w, err, os.ErrPermission)
			require.NoError(w, tg.Close())
			require.NoError(w, up.Close())
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, nil)
		}
	})
}

// TestConfirm shows the last check at work: the kernel's own name of an open
// object decides, too.
func TestConfirm(t *testing.T) {
	each(t, func(w *world) {
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}, Deny: []string{"/denied"}}, nil)
		w.mkdir("w/denied")
		tab := w.jail.table.Load()
		r := tab.root(w.w)
		open := func(p string) *os.File {
			f, err := os.Open(p)
			require.NoError(w, err)
			w.Cleanup(func() { f.Close() })
			return f
		}
		allowed := func(p string) bool {
			_, ref := tab.read(p, false)
			return ref == nil
		}
		f := open(w.w + "/a/b/f")
		require.NoError(w, confirm(r, f, w.w+"/a/b/f", allowed))
		require.NoError(w, os.Rename(w.w+"/a/b", w.w+"/a/c"))
		require.NoError(w, confirm(r, f, w.w+"/a/b/f", allowed), "it is at another allowed path")
		require.NoError(w, os.Rename(w.w+"/a/c", w.w+"/denied/c"))
		require.Equal(w, errMoved, confirm(r, f, w.w+"/a/b/f", allowed))
		require.NoError(w, os.Rename(w.w+"/denied/c", w.out+"/c"))
		require.Equal(w, errMoved, confirm(r, f, w.w+"/a/b/f", allowed))
		require.NoError(w, os.Rename(w.out+"/c", w.w+"/a/b"))
		require.NoError(w, os.Rename(w.w, w.dir+"/moved"))
		require.NoError(w, confirm(r, f, w.w+"/a/b/f", allowed), "the root has another name")
		require.NoError(w, os.Remove(w.dir+"/moved/a/b/f"))
		require.NoError(w, confirm(r, f, w.w+"/a/b/f", allowed), "it was removed meanwhile")
		require.NoError(w, confirm(r, f, w.w+"/a/b/g", allowed), "it was removed from an allowed path")
		g := open(w.write("moved/denied/g", ""))
		require.NoError(w, os.Remove(g.Name()))
		require.Equal(w, errMoved, confirm(r, g, w.w+"/a/b/f", allowed))
	})
}

func TestWithoutOpenat2(t *testing.T) {
	// A filter that answers EPERM or ENOSYS to openat2 makes Auto use os.Root.
	for _, errno := range []syscall.Errno{unix.EPERM, unix.ENOSYS} {
		t.Run(errno.Error(), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFiltered$", "-test.v")
			cmd.Env = append(os.Environ(), "JAIL_TEST_FILTER="+strconv.Itoa(int(errno)))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "--- PASS: TestFiltered")
		})
	}
}

package selftest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ohhost/ohhost/tool"
)

// tryF10 looks for the host's own process where the kernel shows it: outside of the
// grant, through links, and with everything granted.
func tryF10(ctx context.Context, w *world) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		w.skip("there is no /proc here")
	}
	held, err := os.Open(filepath.Join(w.out, "canary"))
	w.must(err)
	defer held.Close()
	pid, fd := fmt.Sprint(os.Getpid()), fmt.Sprint(held.Fd())
	names := []string{"/proc/self/environ", "/proc/self/cmdline", "/proc/self/maps", "/proc/self/status", "/proc/self/auxv",
		"/proc/thread-self/environ", "/proc/" + pid + "/environ", "/proc/version", "/proc/self/mem", "/sys/kernel/notes"}
	links := map[string]string{"root": "/proc/self/root", "cwd": "/proc/self/cwd", "fd": "/proc/self/fd", "env": "/proc/self/environ",
		"devfd": "/dev/fd/" + fd, "stdin": "/dev/stdin", "proc": "/proc", "pid": "/proc/" + pid + "/root"}
	for name, to := range links {
		w.must(os.Symlink(to, filepath.Join(w.work, name)))
	}
	h := w.host(nil)
	p := w.puppet(ctx, h, w.grant())
	w.poke(ctx, p,
		w.work+"/root"+w.out+"/canary", w.work+"/pid"+w.out+"/canary", w.work+"/fd/"+fd, w.work+"/devfd", "/dev/fd/"+fd,
		"/proc/self/fd/"+fd, "/proc/self/root"+w.out+"/canary", "/proc/"+pid+"/root"+w.out+"/canary", "/proc/"+pid+"/fd/"+fd)
	w.kernelFiles(ctx, p, append(names, w.work+"/env", w.work+"/proc/self/environ", w.work+"/root/proc/self/environ", "/dev/fd", "/proc"))

	all, err := h.Bind(ctx, "puppet", &tool.Grant{Workspace: w.work, Paths: []tool.PathGrant{{Path: w.work, Write: true}, {Path: "/"}}})
	w.must(err)
	w.open = append(w.open, "/dev", "/sys", "/run") // what links to what may be known now; not in /proc
	w.control(ctx, all)
	w.kernelFiles(ctx, all, append(names, "/proc", "/proc/self", w.work+"/env", w.work+"/proc/self/environ"))
	w.jailed()
}

// kernelFiles looks at files of the kernel and judges whether the guest has seen what
// is in them.
func (w *world) kernelFiles(ctx context.Context, p tool.Tool, paths []string) {
	for _, path := range paths {
		steps := looks(path)
		got, err := play(ctx, p, steps...)
		w.must(err)
		for i, r := range got {
			w.judgeReply(path, &steps[i], r)
			if what := kernelText(path, r.data); what != "" {
				w.through("the kernel shows the guest %s, through %q", what, path)
			}
		}
	}
}

// kernelText says what bytes that a guest has tell of this process.
func kernelText(path string, b []byte) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if filepath.Base(path) == "mem" {
		return "" // its start is not mapped
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if bytes.Contains(b, []byte("thread-self")) || bytes.Contains(b, []byte("setgroups")) {
			return "a list of the kernel's files"
		}
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 32)
	n, _ := f.Read(head)
	if n >= 8 && bytes.Contains(b, head[:n]) {
		return "what is in " + path
	}
	return ""
}

// tryF12 goes through links that the kernel resolves by itself, to a file that has no
// name any more.
func tryF12(ctx context.Context, w *world) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		w.skip("there are no magic links here: no /proc")
	}
	name := filepath.Join(w.dir, "gone")
	w.must(w.write("gone", w.secret))
	held, err := os.Open(name)
	w.must(err)
	defer held.Close()
	dir, err := os.Open(w.out)
	w.must(err)
	defer dir.Close()
	w.must(os.Remove(name))
	link := fmt.Sprintf("/proc/self/fd/%d", held.Fd())
	if b, err := os.ReadFile(link); err != nil || string(b) != w.secret {
		w.skip("the kernel does not open %s", link)
	}
	w.must(os.Symlink(link, filepath.Join(w.work, "magic")))
	w.must(os.Symlink("magic", filepath.Join(w.work, "twice")))
	w.must(os.Symlink(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()), filepath.Join(w.work, "dir")))
	w.must(os.Symlink("/proc/self/exe", filepath.Join(w.work, "exe")))
	paths := []string{link, w.work + "/magic", w.work + "/twice", w.work + "/dir/canary", w.work + "/dir", w.work + "/magic/", w.work + "/exe"}
	h := w.host(nil)
	w.poke(ctx, w.puppet(ctx, h, w.grant()), paths...)
	// /proc itself is granted, as far as the host binds such a grant.
	for _, granted := range []string{"/", "/proc", "/proc/self/fd"} {
		g := w.grant()
		g.Paths = append(g.Paths, tool.PathGrant{Path: granted})
		p, err := h.Bind(ctx, "puppet", g)
		if err != nil {
			continue
		}
		for _, path := range paths {
			if !strings.HasPrefix(path, w.work+"/dir") || granted != "/" {
				w.look(ctx, p, path, looks(path))
			}
		}
	}
	w.jailed()
}

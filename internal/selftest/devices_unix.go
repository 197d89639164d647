//go:build unix

package selftest

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/tool"
)

// tryF11 reads and writes what never ends, what blocks, and what acts on being
// opened.
func tryF11(ctx context.Context, w *world) {
	at := func(name string) string { return filepath.Join(w.work, name) }
	w.must(unix.Mkfifo(at("fifo"), 0o644))
	sock, err := net.Listen("unix", at("sock"))
	if err != nil { // where the path is too long for a socket
		w.must(os.WriteFile(at("sock"), nil, 0o644))
	} else {
		defer sock.Close()
	}
	w.must(os.Symlink("fifo", at("link")))
	w.must(os.Symlink("/dev/zero", at("zerolink")))
	paths := []string{at("fifo"), at("sock"), at("link"), at("zerolink"), at("fifo") + "/", "/dev/zero", "/dev/tty", "/dev/mem", "/dev/null"}
	if unix.Mknod(at("zero"), syscall.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) == nil {
		paths = append(paths, at("zero"))
	}
	released := make(chan error, 1)
	go func() { // a writer, which opening the pipe for reading would let go on
		f, err := os.OpenFile(at("fifo"), os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		released <- err
	}()
	defer func() {
		if f, err := os.OpenFile(at("fifo"), os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			<-released
			f.Close()
		}
	}()
	time.Sleep(20 * time.Millisecond) // let it begin to wait
	h := w.host(nil)
	p := w.puppet(ctx, h, w.grant())
	w.devices(ctx, p, paths)
	wide, err := h.Bind(ctx, "puppet", &tool.Grant{Workspace: w.work, Paths: []tool.PathGrant{{Path: w.work, Write: true}, {Path: "/dev"}}})
	w.must(err)
	w.open = append(w.open, "/dev")
	w.control(ctx, wide)
	w.devices(ctx, wide, paths)
	for _, device := range []string{"/dev/zero", at("fifo")} {
		if b, err := h.Bind(ctx, "puppet", &tool.Grant{Workspace: w.work, Paths: []tool.PathGrant{{Path: device}}}); err == nil {
			w.devices(ctx, b, []string{device})
		}
	}
	select {
	case <-released:
		w.through("who waited at the other end of a pipe was let go on")
		released <- nil
	default:
	}
	w.stopped("jail: neither a regular file nor a directory", "%d of %d requests were refused, none waited", w.denied, w.tried)
}

// devices plays all that can be done with each path, and judges whether it waited or
// read something.
func (w *world) devices(ctx context.Context, p tool.Tool, paths []string) {
	for _, path := range paths {
		steps := looks(path)
		if filepath.Dir(path) == w.work {
			steps = append(steps, changes(path, filepath.Join(w.work, "loot"))[:1]...)
		}
		var got []reply
		end := w.call(ctx, p, w.deadline, script(steps))
		if end.err != nil {
			if end.late > 0 || ctx.Err() != nil {
				w.through("%s makes a call wait", path)
			}
			w.must(end.err)
		}
		got, err := parseReplies(end.res.Fields[0].Text, len(steps))
		w.must(err)
		for i, r := range got {
			w.judgeReply(path, &steps[i], r)
			if a := answerOf(r); steps[i].op == opInvoke && a.Error.Kind == "" && len(a.attachments) > 0 && len(a.attachments[0]) > 0 && i >= 3 && i <= 4 {
				w.through("the guest has read from %s", path)
			}
			if steps[i].op == opRead && len(r.data) > 0 {
				w.through("the guest has read from %s", path)
			}
		}
	}
}

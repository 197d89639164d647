package jail

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/tool"
)

// triesOfF6 is how often TestF6 tries for each backend; JAIL_TEST_TRIES
// overrides it while developing, -short divides it by 20.
const triesOfF6 = 200_000

func triesOfRace(t *testing.T) int {
	if s := os.Getenv("JAIL_TEST_TRIES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return triesOfF6 / 20
	}
	return triesOfF6
}

// A race is what is exchanged all the time while paths are tried.
type race struct {
	name  string
	swaps []string // pairs of names
	paths []string // of files
	dirs  []string
}

// races exchange: a directory with a link to the outside; a directory and a file
// with a link to a denied one beside it, which os.Root would follow; a file with
// a FIFO; and all of it at once, the parent included.
var races = []race{
	{"outside", []string{"p/d", "p/link"}, []string{"p/d/secret", "p/link/secret"}, []string{"p/d", "p/link"}},
	{"hidden directory", []string{"p/d", "p/hlink"}, []string{"p/d/secret", "p/hlink/secret"}, []string{"p/d", "p/hlink"}},
	{"hidden file", []string{"p/file", "p/hfile"}, []string{"p/file", "p/hfile"}, []string{"p"}},
	{"FIFO", []string{"p/file", "p/fifo", "p/d", "p/fifo2"}, []string{"p/file", "p/d/secret"}, []string{"p", "p/d"}},
	{
		"all",
		[]string{"p/d", "p/link", "p/d", "p/other", "p/file", "p/flink", "p/d", "p/hlink", "p", "outer", "p", "q"},
		[]string{"p/d/secret", "p/link/secret", "p/file", "p/flink", "p/other/../d/secret", "q/d/secret", "outer/secret"},
		[]string{"p/d", "p/link", "p", "outer", "q/d/../d"},
	},
}

// TestF6 makes tries to read and to write below names that another process and a
// goroutine exchange.
func TestF6(t *testing.T) {
	tries := triesOfRace(t) / len(races)
	for _, r := range races {
		t.Run(r.name, func(t *testing.T) {
			each(t, func(w *world) {
				for _, d := range []string{"w/p/d", "w/p/other", "w/q/d"} {
					w.write(d+"/secret", "inside")
				}
				w.write("w/p/hidden/secret", secret)
				w.write("w/p/file", "inside")
				w.link(w.out, "w/p/link")
				w.link("../../out/secret", "w/p/flink")
				w.link("hidden", "w/p/hlink")
				w.link("hidden/secret", "w/p/hfile")
				w.link(w.out, "w/outer")
				require.NoError(w, unix.Mkfifo(w.w+"/p/fifo", 0o644))
				require.NoError(w, unix.Mkfifo(w.w+"/p/fifo2", 0o644))
				w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}, Deny: []string{"hidden"}}, nil)
				r.run(w, tries)
			})
		})
	}
}

func (r *race) run(w *world, tries int) {
	swaps := make([]string, len(r.swaps))
	for i, p := range r.swaps {
		swaps[i] = w.w + "/" + p
	}
	stop := exchangeElsewhere(w, swaps)
	defer stop()
	stopHere := exchangeHere(swaps)
	defer stopHere()
	hangs := time.AfterFunc(time.Minute, func() { panic("a try hangs") })
	defer hangs.Stop()

	var good, refused, moved int
	count := func(err error) bool {
		switch {
		case err == nil:
			good++
		case errors.As(err, new(*DeniedError)) || errors.Is(err, ErrNotRegular):
			refused++
		case errors.Is(err, syscall.EAGAIN):
			moved++
		default:
			// Whatever the kernel says of names that come and go.
			var errno syscall.Errno
			require.True(w, errors.As(err, &errno), "%v", err)
			require.Contains(w, []error{unix.ENOENT, unix.ENOTDIR, unix.EISDIR, unix.ELOOP}, error(errno))
		}
		return err == nil
	}
	for i := range tries {
		if i%1000 == 0 {
			hangs.Reset(time.Minute)
		}
		p, dir := w.w+"/"+r.paths[i/4%len(r.paths)], w.w+"/"+r.dirs[i/4%len(r.dirs)]
		switch i % 4 {
		case 0:
			w.tryOpen(p, count)
		case 1:
			_, err := w.jail.Stat(p, true)
			count(err)
		case 2:
			w.tryWrite(dir+"/written", i%8 < 4, count)
		case 3:
			list, err := w.jail.List(w.Context(), dir, i%8 < 4, 0)
			count(err)
			for _, e := range list {
				require.NotEqual(w, "hidden", e.Name)
			}
		}
	}
	stopHere()
	stop()
	w.Logf("%d tries: %d succeeded, %d refused, %d gave up, the rest found nothing", tries, good, refused, moved)
	require.Greater(w, good, tries/50, "the files are there often enough")
	require.Greater(w, refused, tries/50, "what is refused is there often enough")
	require.Less(w, moved, tries/10, "giving up is rare")
	w.untouched()
	for _, p := range []string{"/p", "/q", "/outer"} { // wherever it is by now
		names, err := filepath.Glob(w.w + p + "/hidden/*")
		require.NoError(w, err)
		require.Subset(w, []string{w.w + p + "/hidden/secret"}, names)
	}
}

func (w *world) tryOpen(p string, count func(error) bool) {
	f, err := w.jail.Open(p)
	if !count(err) {
		return
	}
	defer f.Close()
	buf := make([]byte, 64)
	n, err := f.Read(buf)
	if err == io.EOF || errors.Is(err, syscall.EISDIR) {
		return
	}
	require.NoError(w, err)
	require.Equal(w, "inside", string(buf[:n]), p)
}

func (w *world) tryWrite(p string, follow bool, count func(error) bool) {
	t, err := w.jail.Target(p, follow)
	if !count(err) {
		return
	}
	defer t.Close()
	f, err := t.Dir.Open(t.Name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return // the directory is gone, or a link has the name
	}
	defer f.Close()
	_, err = f.WriteString("inside")
	require.NoError(w, err)
}

// exchangeHere exchanges pairs of names in a goroutine.
func exchangeHere(pairs []string) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
				exchange(pairs)
			}
		}
	}()
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			close(quit)
			<-done
		}
	}
}

// exchange does each pair once. An exchange that finds a name missing is due to
// another one.
func exchange(pairs []string) {
	for i := 0; i < len(pairs); i += 2 {
		_ = unix.Renameat2(unix.AT_FDCWD, pairs[i], unix.AT_FDCWD, pairs[i+1], unix.RENAME_EXCHANGE)
	}
}

// exchangeElsewhere does it in a process of its own, until its standard input
// ends.
func exchangeElsewhere(w *world, pairs []string) (stop func()) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestExchange$")
	cmd.Env = append(os.Environ(), "JAIL_TEST_EXCHANGE="+strings.Join(pairs, "\n"))
	in, err := cmd.StdinPipe()
	require.NoError(w, err)
	require.NoError(w, cmd.Start())
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			in.Close()
			require.NoError(w, cmd.Wait())
		}
	}
}

func TestExchange(t *testing.T) {
	pairs := os.Getenv("JAIL_TEST_EXCHANGE")
	if pairs == "" {
		t.Skip("TestF6 runs it in a process of its own")
	}
	end := make(chan struct{})
	go func() {
		defer close(end)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	for {
		select {
		case <-end:
			return
		default:
			exchange(strings.Split(pairs, "\n"))
		}
	}
}

package jail

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
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

// TestF6 makes tries to read and to write below directories that another process
// and a goroutine exchange all the time: a directory with a link to the outside,
// a directory with a directory, a file with a link, and their parent with a link
// to what is outside of it.
func TestF6(t *testing.T) {
	tries := triesOfRace(t)
	each(t, func(w *world) {
		for _, d := range []string{"w/p/d", "w/p/other", "w/q/d"} {
			w.write(d+"/secret", "inside")
		}
		w.link(w.out, "w/p/link")
		w.link("../out", "w/p/rel") // to w/out, missing, unless p and out change places
		w.link("../../out/secret", "w/p/flink")
		w.write("w/p/file", "inside")
		w.link(w.out, "w/outer")
		swaps := []string{
			w.w + "/p/d", w.w + "/p/link", w.w + "/p/d", w.w + "/p/other", w.w + "/p/file", w.w + "/p/flink", w.w + "/p", w.w + "/outer",
			w.w + "/p", w.w + "/q",
		}
		stop := exchangeElsewhere(w, swaps)
		defer stop()
		stopHere := exchangeHere(w, swaps)
		defer stopHere()

		paths := []string{w.w + "/p/d/secret", w.w + "/p/link/secret", w.w + "/p/file", w.w + "/p/flink", w.w + "/p/other/../d/secret", w.w + "/q/d/secret", w.w + "/outer/secret"}
		dirs := []string{w.w + "/p/d", w.w + "/p/link", w.w + "/p", w.w + "/outer", w.w + "/q/d/../d"}
		buf := make([]byte, 64)
		var good, refused, moved int
		count := func(err error) bool {
			switch {
			case err == nil:
				good++
			case errors.As(err, new(*DeniedError)):
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
		outside, err := os.Stat(w.out + "/secret")
		require.NoError(w, err)
		for i := range tries {
			p, dir := paths[i/4%len(paths)], dirs[i/4%len(dirs)]
			switch i % 4 {
			case 0:
				f, err := w.jail.Open(p)
				if !count(err) {
					continue
				}
				n, err := f.Read(buf)
				if err != io.EOF && !errors.Is(err, syscall.EISDIR) {
					require.NoError(w, err)
					require.Equal(w, "inside", string(buf[:n]), p)
				}
				require.NoError(w, f.Close())
			case 1:
				i, err := w.jail.stat(p, true)
				if count(err) {
					require.NotEqual(w, outside.Sys().(*syscall.Stat_t).Ino, i.ino, p)
				}
			case 2:
				p := dir + "/written"
				t, err := w.jail.Target(p, i%8 < 4)
				if !count(err) {
					continue
				}
				f, err := t.Dir.Open(t.Name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
				if err == nil {
					_, err = f.WriteString("inside")
					require.NoError(w, err)
					require.NoError(w, f.Close())
				}
				require.NoError(w, t.Close())
			case 3:
				list, err := w.jail.List(dir, i%8 < 4, 0)
				if count(err) {
					for _, e := range list {
						// out holds one file, "secret", and its parent "w" and "out".
						require.NotContains(w, []string{"w", "out"}, e.Name)
						if e.Type == abi.TypeLink && strings.HasPrefix(e.Name, "outer") {
							require.NotEqual(w, byte(abi.TypeFile), e.Target)
						}
					}
				}
			}
		}
		stopHere()
		stop()
		w.Logf("%d tries: %d succeeded, %d denied, %d gave up, the rest found nothing", tries, good, refused, moved)
		require.Greater(w, good, tries/50, "the files are there often enough")
		require.Greater(w, refused, tries/50, "the links are there often enough")
		require.Less(w, moved, tries/20, "giving up is rare")
		w.untouched()
	})
}

// exchangeHere exchanges pairs of names in a goroutine.
func exchangeHere(w *world, pairs []string) (stop func()) {
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

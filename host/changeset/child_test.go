//go:build unix

package changeset

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Tests that need another process (to kill it, to be another user) run the test
// binary again as a child: childEnv names what it does, on the world under its
// argument.
const childEnv = "CHANGESET_TEST_CHILD"

var children = map[string]func(w *world, args []string) error{
	"one":  childOne,
	"loop": childLoop,
	"mark": childMark,
	"time": childTime,
}

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	w, err := openWorld(os.Args[1])
	if err == nil {
		err = children[name](w, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child makes the command that runs the named child on the world.
func (w *world) child(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	// Not os.Executable: another user may not reach the directory it lies in.
	cmd := exec.Command("/proc/self/exe", append([]string{strings.TrimSuffix(w.dir, "/w")}, args...)...)
	if _, err := os.Stat(cmd.Path); err != nil {
		cmd.Path = os.Args[0]
	}
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	return cmd
}

// childOne applies one set, given as JSON, and kills itself at the step that the
// second argument names.
func childOne(w *world, args []string) error {
	var set Set
	if err := json.Unmarshal([]byte(args[0]), &set); err != nil {
		return err
	}
	step = func(name string) {
		if name == args[1] {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		}
	}
	_, err := Apply(context.Background(), w.jail, w.s, &set, nil)
	return err
}

// version is the content that childLoop writes: every byte tells which one.
func version(i int) []byte {
	return bytes.Repeat([]byte{byte('a' + i%26)}, 1000+(i*7919)%60000)
}

// childLoop edits and undoes the file without end; each content is a version.
func childLoop(w *world, args []string) error {
	begin, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	f := w.path("f")
	for i := begin; ; i++ {
		c := Change{Op: Put, Path: f, Data: version(i), Undo: f}
		if i%3 == 2 {
			c = w.undo(f)
		}
		if _, err := w.apply(context.Background(), c, nil); err != nil {
			return err
		}
	}
}

// childTime edits the file of its first argument as often as the second says and
// prints how many microseconds each edit took.
func childTime(w *world, args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for i := range n {
		c := Change{Op: Put, Path: w.path(args[0]), Data: version(i), Undo: args[0]}
		begin := time.Now()
		if _, err := w.apply(context.Background(), c, nil); err != nil {
			return err
		}
		fmt.Println(time.Since(begin).Microseconds())
	}
	return nil
}

// run runs the command to its end and says whether it was killed.
func run(t *testing.T, cmd *exec.Cmd) (killed bool) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if ee, ok := err.(*exec.ExitError); ok {
		status := ee.Sys().(syscall.WaitStatus)
		killed = status.Signaled() && status.Signal() == syscall.SIGKILL
	}
	if !killed {
		require.NoError(t, err, "%s", out)
	}
	return killed
}

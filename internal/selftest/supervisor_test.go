package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// workerMode is what TestMain does instead of tests: it is a worker then.
const workerMode = "OHHOST_SELFTEST_WORKER"

func TestMain(m *testing.M) {
	mode := os.Getenv(workerMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	work(mode, os.Args[1], os.Args[2:])
}

// work is a worker that tries the first vectors as it should, and not the one that
// its mode names: "F8 dies".
func work(mode, dir string, ids []string) {
	bad, how, _ := strings.Cut(mode, " ")
	tell := json.NewEncoder(os.Stdout)
	for _, id := range ids {
		if id != bad {
			if err := Work(context.Background(), dir, []string{id}, os.Stdout); err != nil {
				panic(err)
			}
			continue
		}
		if how == "refuses" {
			fmt.Fprintln(os.Stderr, "this program cannot attack")
			os.Exit(3)
		}
		if err := tell.Encode(message{Began: id}); err != nil {
			panic(err)
		}
		switch how {
		case "dies":
			go func() { panic("as a goroutine of the host would") }()
		case "fails":
			_ = tell.Encode(message{Failed: id + ": the disk is full"})
			os.Exit(4)
		case "grows":
			b := make([]byte, 512<<20)
			for i := range b {
				b[i] = 1
			}
		}
		select {}
	}
}

// run runs the self-test with workers of a mode, in a temporary directory of its own
// that must be empty afterwards.
func run(t *testing.T, ctx context.Context, mode string, ids ...string) ([]Result, error) {
	t.Helper()
	temp := t.TempDir()
	s := &supervisor{dir: temp, patience: 3 * time.Second, memory: 400 << 20, worker: func(ctx context.Context, dir string, ids []string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0], append([]string{dir}, ids...)...)
		cmd.Env = []string{workerMode + "=" + mode}
		return cmd
	}}
	chosen, err := choose(ids)
	require.NoError(t, err)
	var all []Result
	for len(all) < len(chosen) {
		some, err := s.work(ctx, chosen[len(all):], len(all))
		if err != nil {
			return all, err
		}
		require.NotEmpty(t, some)
		all = append(all, some...)
	}
	return all, nil
}

func outcomes(all []Result) (list []string) {
	for _, r := range all {
		list = append(list, r.ID+" "+string(r.Outcome))
	}
	return list
}

// TestWorkers: an attack that kills the process that is attacked, freezes it or fills
// its memory has got through, and the others are tried all the same.
func TestWorkers(t *testing.T) {
	for _, c := range []struct{ mode, want string }{
		{"F8 dies", `^the process died \(exit status 2\): panic: as a goroutine of the host would$`},
		{"F8 hangs", `^the process did not come back in 3s, and was killed$`},
		{"F8 grows", `^the process had \d+ MiB of memory, and was killed$`},
	} {
		t.Run(c.mode, func(t *testing.T) {
			if strings.HasSuffix(c.mode, "grows") && residentMemory() < 0 {
				t.Skip("this system does not tell of memory")
			}
			all, err := run(t, t.Context(), c.mode, "F7", "F8", "F9")
			require.NoError(t, err)
			require.Equal(t, []string{"F7 stopped", "F8 through", "F9 stopped"}, outcomes(all))
			require.Regexp(t, c.want, all[1].Detail)
			require.Equal(t, "opening read-only files in every way that writes", all[1].Title)
		})
	}
}

// TestWorkerFails: what is wrong with the self-test itself is no outcome of a vector.
func TestWorkerFails(t *testing.T) {
	_, err := run(t, t.Context(), "F8 fails", "F7", "F8", "F9")
	require.EqualError(t, err, "F8: the disk is full")
	_, err = run(t, t.Context(), "F8 refuses", "F8")
	require.EqualError(t, err, "the process that attacks did nothing: exit status 3: this program cannot attack")

	s := &supervisor{dir: t.TempDir(), worker: func(ctx context.Context, _ string, _ []string) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join(t.TempDir(), "missing"))
	}}
	_, err = s.work(t.Context(), vectors[:1], 0)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestInterrupted: when the context ends, so does the worker, at once, and nothing is
// said of vectors.
func TestInterrupted(t *testing.T) {
	reason := errors.New("somebody pressed Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(reason) })
	began := time.Now()
	_, err := run(t, ctx, "F8 hangs", "F8")
	require.Equal(t, reason, err)
	require.Less(t, time.Since(began), 5*time.Second, "a hang limit")
}

// TestRunLeavesNothing: the directory of a run is removed, however it ends, and the
// worker gets a home of its own.
func TestRunLeavesNothing(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("HOME", filepath.Join(temp, "users-home"))
	for _, mode := range []string{"none", "F8 dies", "F8 fails"} {
		worker := func(ctx context.Context, dir string, ids []string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, os.Args[0], append([]string{dir}, ids...)...)
			cmd.Env = []string{workerMode + "=" + mode}
			return cmd
		}
		var turns []string
		r, err := Run(t.Context(), &Options{Worker: worker, Only: []string{"F9", "F8"}, Progress: func(done, all int, id, _ string) {
			turns = append(turns, fmt.Sprint(done, all, id))
		}})
		if mode == "F8 fails" {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
			require.Equal(t, mode == "none", r.OK())
			require.Equal(t, []string{"0 2F8", "1 2F9"}, turns)
			require.Equal(t, 2, r.Count(Stopped)+r.Count(Through))
			require.Empty(t, r.Later)
		}
		entries, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, entries, mode)
	}
}

// TestAbandoned: a worker cleans up for a process that was killed, and only what is
// the self-test's.
func TestAbandoned(t *testing.T) {
	top := filepath.Join(t.TempDir(), "ohhost-selftest-1")
	other := filepath.Join(t.TempDir(), "home")
	for _, dir := range []string{top, other} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "run1/vectors/F1"), 0o700))
		Abandoned(filepath.Join(dir, "run1/vectors"))
	}
	require.NoDirExists(t, top)
	require.DirExists(t, filepath.Join(other, "run1/vectors/F1"))
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	require.NoError(t, err)
	require.Len(t, all, len(vectors))
	some, err := choose([]string{"S1", "F1"})
	require.NoError(t, err)
	require.Equal(t, []string{"F1", "S1"}, []string{some[0].id, some[1].id})
	_, err = choose([]string{"F1", "X9"})
	require.EqualError(t, err, `there is no such vector: "X9"`)
	_, err = choose([]string{"R6"})
	require.EqualError(t, err, "there is no such vector yet: R6 is about archives: plugins are single files yet")
	require.ErrorIs(t, err, ErrVector)
}

// TestEnvironment: none of the variables that lead to the user's files is handed on.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR"} {
		t.Setenv(name, "/users/"+name)
	}
	t.Setenv("OTHER", "kept")
	env := environment("/d")
	require.Contains(t, env, "OTHER=kept")
	require.Contains(t, env, "HOME=/d/home")
	require.Contains(t, env, "XDG_RUNTIME_DIR=/d/run")
	for _, kv := range env {
		require.NotContains(t, kv, "/users/")
	}
}

//go:build unix

package changeset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A process is killed at every step of every kind of set. Afterwards, and after
// whatever is applied next, the file is one of the two versions, the history
// fits it, and nothing is left over.
func TestKilledAtEachStep(t *testing.T) {
	steps := []string{"locked", "staged", "prepared", "renamed", "blobs", "committed"}
	v0, v1 := []byte("version 0"), []byte("version 1, longer")
	tests := []struct {
		name   string
		change Change
		before []byte   // what the file holds, nil for none
		after  []byte   // what it shall hold
		undos  []string // contents that the history gives back, when the change happened
	}{
		{"put", Change{Op: Put, Data: v1, Undo: "k"}, v0, v1, []string{"version 0", "first"}},
		{"create", Change{Op: Put, Data: v1, Undo: "k"}, nil, v1, []string{""}},
		{"create, new bytes", Change{Op: Put, Data: v1, Undo: "k", UndoNew: true}, nil, v1, []string{"version 1, longer"}},
		{"delete", Change{Op: Delete, Undo: "k"}, v0, nil, []string{"version 0", "first"}},
		{"undo", Change{Op: Undo, Undo: "k"}, v0, []byte("first"), nil},
	}
	for _, tt := range tests {
		for _, kill := range steps {
			t.Run(tt.name+" "+kill, func(t *testing.T) {
				w := newWorld(t)
				f := w.path("f")
				require.NoError(t, w.s.Put(t.Context(), "blob", []byte("old")))
				if tt.before != nil {
					w.file(t, "f", "first", 0o640)
					w.must(t, Change{Op: Put, Path: f, Data: tt.before, Undo: "k"})
				}
				c := tt.change
				c.Path = f
				set, err := json.Marshal(Set{Changes: []Change{c}, State: []StatePut{{"blob", []byte("new")}}})
				require.NoError(t, err)
				require.True(t, run(t, w.child(t, "one", string(set), kill)))

				now, err := os.ReadFile(f)
				if os.IsNotExist(err) {
					now, err = nil, nil
				}
				require.NoError(t, err)
				happened := kill == "renamed" || kill == "blobs" || kill == "committed"
				want := map[bool][]byte{false: tt.before, true: tt.after}[happened]
				require.Equal(t, want, now)

				// The next set, of another file, finishes what is in the journal.
				w.must(t, Change{Op: Put, Path: w.path("other")})
				require.NoError(t, os.Remove(w.path("other")))
				blob, _, err := w.s.Get(t.Context(), "blob")
				require.NoError(t, err)
				require.Equal(t, map[bool]string{false: "old", true: "new"}[happened], string(blob))
				require.LessOrEqual(t, len(tree(t, w.dir)), 1, "no litter")

				undos := tt.undos
				if !happened {
					undos = nil
					if tt.before != nil {
						undos = []string{"first"}
					}
				}
				for _, want := range undos {
					out := w.must(t, Change{Op: Undo, Path: f, Undo: "k"})
					require.Equal(t, want, string(out.After))
				}
				_, err = w.apply(t.Context(), Change{Op: Undo, Path: f, Undo: "k"}, nil)
				require.ErrorIs(t, err, ErrNoUndo)
				requireEmptySession(t, w)
			})
		}
	}
}

// What a set without undo entry leaves is decided by the journal alone.
func TestKilledWithState(t *testing.T) {
	tests := []struct {
		name   string
		change Change
		after  map[string]string // what differs from start
	}{
		{"move", Change{Op: Move, Path: "a", To: "c"}, map[string]string{"a": "", "c": "0644 one\ntwo\n"}},
		{"move a link", Change{Op: Move, Path: "link", To: "d/l"}, map[string]string{"link": "", "d/l": "link a"}},
		{"delete a link", Change{Op: Delete, Path: "link"}, map[string]string{"link": ""}},
		{"mkdir", Change{Op: Mkdir, Path: "e/"}, map[string]string{"e": "dir 0755"}},
		{"put", Change{Op: Put, Path: "a"}, map[string]string{"a": "0644 "}},
	}
	for _, tt := range tests {
		for _, kill := range []string{"prepared", "renamed", "blobs"} {
			t.Run(tt.name+" "+kill, func(t *testing.T) {
				w, want := start(t)
				c := tt.change
				c.Path = w.dir + "/" + c.Path
				if c.To != "" {
					c.To = w.path(c.To)
				}
				set, err := json.Marshal(Set{Changes: []Change{c}, State: []StatePut{{"blob", []byte("new")}}})
				require.NoError(t, err)
				require.True(t, run(t, w.child(t, "one", string(set), kill)))
				require.NoError(t, Recover(t.Context(), w.jail, w.s, nil))
				blob, _, err := w.s.Get(t.Context(), "blob")
				require.NoError(t, err)
				if kill == "prepared" {
					require.Empty(t, blob)
					// The temporary file goes with the next set in its directory.
					w.must(t, Change{Op: Delete, Path: w.path("bin")})
					delete(want, "bin")
				} else {
					require.Equal(t, "new", string(blob))
					for name, content := range tt.after {
						want[name] = content
						if content == "" {
							delete(want, name)
						}
					}
				}
				require.Equal(t, want, tree(t, w.dir))
				requireEmptySession(t, w)
			})
		}
	}
}

// requireEmptySession checks that neither history nor journal hold anything, and
// state nothing but blobs.
func requireEmptySession(t *testing.T, w *world) {
	t.Helper()
	for _, d := range []string{"undo", "journal"} {
		left, err := os.ReadDir(filepath.Join(w.s.Dir(), d))
		require.NoError(t, err)
		require.Empty(t, left, d)
	}
	blobs, err := filepath.Glob(filepath.Join(w.s.Dir(), "state", "*"))
	require.NoError(t, err)
	for _, b := range blobs {
		require.Equal(t, ".blob", filepath.Ext(b))
	}
}

// A process that edits and undoes in a loop is killed at any moment.
func TestKilledAtRandom(t *testing.T) {
	w := newWorld(t)
	f := w.path("f")
	n := 0
	for kill := range 60 {
		cmd := w.child(t, "loop", strconv.Itoa(n))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Start())
		// Its start takes some of the time; the first rounds find it there.
		time.Sleep(time.Duration(15+(kill*37)%40) * time.Millisecond)
		require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
		err := cmd.Wait()
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), "%v %s", err, stderr.String())

		w.must(t, Change{Op: Put, Path: w.path("other")})
		left := tree(t, w.dir)
		delete(left, "other")
		delete(left, "f")
		require.Empty(t, left)
		now, err := os.ReadFile(f)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		requireVersion(t, now)
		n += 3

		// Every few kills the whole history is walked: each step fits the file.
		if kill%10 != 9 {
			continue
		}
		for steps := 0; ; steps++ {
			out, err := w.apply(t.Context(), w.undo(f), nil)
			if err != nil {
				require.ErrorIs(t, err, ErrNoUndo, "after %d steps", steps)
				break
			}
			require.Less(t, steps, 10)
			if out.After != nil {
				requireVersion(t, out.After)
			}
		}
		require.NoError(t, os.RemoveAll(f))
		n = 0
	}
	requireEmptySession(t, w)
}

// requireVersion checks that b is a whole version of childLoop.
func requireVersion(t *testing.T, b []byte) {
	t.Helper()
	require.NotEmpty(t, b)
	for i := int(b[0] - 'a'); i < 26*600; i += 26 {
		if v := version(i); string(v) == string(b) {
			return
		}
	}
	require.Fail(t, "not a version", "%d bytes of %q", len(b), b[0])
}

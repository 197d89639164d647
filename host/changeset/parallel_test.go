//go:build unix

package changeset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

// mark replaces the line "L<n>" of the file by "done <n>", as a tool does: read,
// edit what was read, and again if it has changed meanwhile.
func (w *world) mark(path string, n int) error {
	for {
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("L%d\n", n)
		at := bytes.Index(raw, []byte(line))
		if at < 0 {
			return fmt.Errorf("%q is not in the file", line)
		}
		_, err = w.apply(context.Background(), Change{
			Op: Edit, Path: path, Expect: digest(raw), Undo: path,
			Splices: []text.Splice{{At: at, Del: len(line), Insert: fmt.Appendf(nil, "done %d\n", n)}},
		}, nil)
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
}

func childMark(w *world, args []string) error {
	var from, to int
	if _, err := fmt.Sscan(args[0]+" "+args[1], &from, &to); err != nil {
		return err
	}
	for n := from; n < to; n++ {
		if err := w.mark(w.path("f"), n); err != nil {
			return err
		}
	}
	return nil
}

// lines returns the file's content with n lines before and after their edits.
func lines(n int) (before, after string) {
	var b, a strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "L%d\n", i)
		fmt.Fprintf(&a, "done %d\n", i)
	}
	return b.String(), a.String()
}

func TestFE39_ParallelEdits(t *testing.T) {
	w := newWorld(t)
	before, after := lines(20)
	f := w.file(t, "f", before, 0o644)
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for n := range errs {
		wg.Go(func() { errs[n] = w.mark(f, n) })
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, map[string]string{"f": "0644 " + after}, tree(t, w.dir))

	// Ten steps back, each of one whole edit.
	for n := range 10 {
		w.must(t, w.undo(f))
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.Equal(t, 20-n-1, strings.Count(string(b), "done"))
		require.Equal(t, n+1, strings.Count(string(b), "L"))
	}
	_, err := w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
}

func TestFE39_ParallelProcesses(t *testing.T) {
	w := newWorld(t)
	const procs, each = 4, 8
	before, after := lines(procs * each)
	w.file(t, "f", before, 0o644)
	var wg sync.WaitGroup
	out := make([][]byte, procs)
	errs := make([]error, procs)
	for p := range procs {
		cmd := w.child(t, "mark", fmt.Sprint(p*each), fmt.Sprint((p+1)*each))
		wg.Go(func() { out[p], errs[p] = cmd.CombinedOutput() })
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...), "%s", bytes.Join(out, nil))
	require.Equal(t, map[string]string{"f": "0644 " + after}, tree(t, w.dir))
}

// The directory that a path leads to is replaced between the moment it is
// resolved and the moment it is locked.
func TestDirectoryIsReplaced(t *testing.T) {
	for name, c := range map[string]Change{
		"put":    {Op: Put, Path: "d/f", Data: []byte("new")},
		"create": {Op: Put, Path: "d/n", Data: []byte("new")},
		"delete": {Op: Delete, Path: "d/f"},
		"undo":   {Op: Undo, Path: "d/f", Undo: "k"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, os.Mkdir(w.path("d"), 0o755))
			w.file(t, "d/f", "old", 0o644)
			w.must(t, Change{Op: Put, Path: w.path("d/f"), Data: []byte("same"), Undo: "k"})
			times := 0
			at(t, "locked", func() {
				if times++; times == 1 {
					require.NoError(t, os.Rename(w.path("d"), w.path("was")))
					require.NoError(t, os.Mkdir(w.path("d"), 0o755))
					w.file(t, "d/f", "same", 0o644)
				}
			})
			c.Path = w.path(c.Path)
			w.must(t, c)
			require.Equal(t, 2, times)
			want := map[string]string{"was": "dir 0755", "was/f": "0644 same", "d": "dir 0755", "d/f": "0644 same"}
			switch name {
			case "put":
				want["d/f"] = "0644 new"
			case "create":
				want["d/n"] = "0644 new"
			case "delete":
				delete(want, "d/f")
			case "undo":
				want["d/f"] = "0644 old"
			}
			require.Equal(t, want, tree(t, w.dir))
		})
	}
}

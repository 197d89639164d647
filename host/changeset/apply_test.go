//go:build unix

package changeset

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
)

// start is the workspace that the tables begin with.
func start(t *testing.T) (*world, map[string]string) {
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.path("d"), 0o755))
	w.file(t, "a", "one\ntwo\n", 0o644)
	w.file(t, "bin", "\x00\x01\xff\xfe", 0o600)
	w.file(t, "d/b", "b\n", 0o755)
	require.NoError(t, os.Symlink("a", w.path("link")))
	require.NoError(t, os.Symlink("d/new", w.path("dangling")))
	return w, tree(t, w.dir)
}

func TestApply(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	a, twoToX := "one\ntwo\n", replaceFirst("one\ntwo\n", "two", "x")
	tests := []struct {
		name    string
		change  Change // paths relative to the workspace
		want    Outcome
		changes map[string]string // of the tree; "" is removed
	}{
		{"put new", Change{Op: Put, Path: "n", Data: []byte("new\r\n"), Expect: abi.Absent},
			Outcome{Path: "n", Created: true, Size: 5, Digest: digest([]byte("new\r\n")),
				After: []byte("new\r\n"), NewText: []byte("new\n")},
			map[string]string{"n": "0644 new\r\n"}},
		{"put empty", Change{Op: Put, Path: "n"},
			Outcome{Path: "n", Created: true, Digest: digest(nil), After: []byte{}, NewText: []byte{}},
			map[string]string{"n": "0644 "}},
		{"put over text", Change{Op: Put, Path: "a", Data: []byte("\xff\x00\xfe"), Expect: digest([]byte(a))},
			Outcome{Path: "a", Size: 3, Digest: digest([]byte("\xff\x00\xfe")), Before: []byte(a),
				After: []byte("\xff\x00\xfe"), OldText: []byte(a)},
			map[string]string{"a": "0644 \xff\x00\xfe"}},
		{"put of as much as max", Change{Op: Put, Path: "bin", Data: []byte("12345"), Max: 5},
			Outcome{Path: "bin", Size: 5, Digest: digest([]byte("12345")), Before: []byte("\x00\x01\xff\xfe"),
				After: []byte("12345"), NewText: []byte("12345")},
			map[string]string{"bin": "0600 12345"}},
		{"edit", Change{Op: Edit, Path: "a", Splices: twoToX, Expect: digest([]byte(a)), Max: 8},
			Outcome{Path: "a", Size: 6, Digest: digest([]byte("one\nx\n")), Before: []byte(a), After: []byte("one\nx\n"),
				OldText: []byte(a), NewText: []byte("one\nx\n")},
			map[string]string{"a": "0644 one\nx\n"}},
		{"edit of nothing", Change{Op: Edit, Path: "d/b"},
			Outcome{Path: "d/b", Size: 2, Digest: digest([]byte("b\n")), Before: []byte("b\n"), After: []byte("b\n"),
				OldText: []byte("b\n"), NewText: []byte("b\n")}, nil},
		{"edit to nothing", Change{Op: Edit, Path: "d/b", Splices: replaceFirst("b\n", "b\n", "")},
			Outcome{Path: "d/b", Digest: digest(nil), Before: []byte("b\n"), After: []byte{},
				OldText: []byte("b\n"), NewText: []byte{}},
			map[string]string{"d/b": "0755 "}},
		{"FE-20 edit through a link", Change{Op: Edit, Path: "link", Splices: twoToX},
			Outcome{Path: "a", Size: 6, Digest: digest([]byte("one\nx\n")), Before: []byte(a), After: []byte("one\nx\n"),
				OldText: []byte(a), NewText: []byte("one\nx\n")},
			map[string]string{"a": "0644 one\nx\n"}},
		{"FE-20 put through a dangling link", Change{Op: Put, Path: "dangling", Data: []byte("n"), Expect: abi.Absent},
			Outcome{Path: "d/new", Created: true, Size: 1, Digest: digest([]byte("n")), After: []byte("n"), NewText: []byte("n")},
			map[string]string{"d/new": "0644 n"}},
		{"delete", Change{Op: Delete, Path: "a", Expect: digest([]byte(a))},
			Outcome{Path: "a", Before: []byte(a), OldText: []byte(a)},
			map[string]string{"a": ""}},
		{"delete a link", Change{Op: Delete, Path: "link", Expect: digest([]byte(a))},
			Outcome{Path: "link"}, map[string]string{"link": ""}},
		{"delete a dangling link", Change{Op: Delete, Path: "dangling"},
			Outcome{Path: "dangling"}, map[string]string{"dangling": ""}},
		{"move", Change{Op: Move, Path: "a", To: "c"},
			Outcome{Path: "c", From: "a", Created: true, Size: 8, Digest: digest([]byte(a)), Before: []byte(a), After: []byte(a),
				OldText: []byte(a), NewText: []byte(a)},
			map[string]string{"a": "", "c": "0644 " + a}},
		{"move to another directory", Change{Op: Move, Path: "d/b", To: "b", Expect: digest([]byte("b\n"))},
			Outcome{Path: "b", From: "d/b", Created: true, Size: 2, Digest: digest([]byte("b\n")), Before: []byte("b\n"),
				After: []byte("b\n"), OldText: []byte("b\n"), NewText: []byte("b\n")},
			map[string]string{"d/b": "", "b": "0755 b\n"}},
		{"move a link", Change{Op: Move, Path: "link", To: "l2"},
			Outcome{Path: "l2", From: "link", Created: true},
			map[string]string{"link": "", "l2": "link a"}},
		{"mkdir", Change{Op: Mkdir, Path: "d/e", Expect: abi.Absent},
			Outcome{Path: "d/e", Created: true}, map[string]string{"d/e": "dir 0755"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, before := start(t)
			c, want := tt.change, tt.want
			c.Path, want.Path = w.path(c.Path), w.path(want.Path)
			if c.To != "" {
				c.To, want.From = w.path(c.To), w.path(want.From)
			}
			dry, err := w.apply(t.Context(), c, &Options{DryRun: true})
			require.NoError(t, err)
			require.Equal(t, want, dry)
			require.Equal(t, before, tree(t, w.dir), "a dry run writes nothing")

			out, err := w.apply(t.Context(), c, nil)
			require.NoError(t, err)
			require.Equal(t, want, out)
			for name, content := range tt.changes {
				before[name] = content
				if content == "" {
					delete(before, name)
				}
			}
			require.Equal(t, before, tree(t, w.dir))
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	a := []byte("one\ntwo\n")
	other := digest([]byte("other"))
	pathErr := func(op, path string, err error) func(w *world) error {
		return func(w *world) error { return &fs.PathError{Op: op, Path: w.path(path), Err: err} }
	}
	plain := func(err error) func(w *world) error { return func(*world) error { return err } }
	tests := []struct {
		name   string
		change Change
		want   func(w *world) error
	}{
		{"put, other digest", Change{Op: Put, Path: "a", Expect: other}, plain(ErrChanged)},
		{"put, vanished", Change{Op: Put, Path: "n", Expect: other}, plain(ErrChanged)},
		{"put, appeared", Change{Op: Put, Path: "a", Expect: abi.Absent}, plain(ErrChanged)},
		{"put through a link, appeared", Change{Op: Put, Path: "link", Expect: abi.Absent}, plain(ErrChanged)},
		{"edit, other digest", Change{Op: Edit, Path: "a", Expect: other}, plain(ErrChanged)},
		{"edit, vanished", Change{Op: Edit, Path: "n", Expect: other}, plain(ErrChanged)},
		{"edit, missing", Change{Op: Edit, Path: "n"}, pathErr("open", "n", syscall.ENOENT)},
		{"delete, other digest", Change{Op: Delete, Path: "a", Expect: other}, plain(ErrChanged)},
		{"delete, missing", Change{Op: Delete, Path: "n"}, pathErr("remove", "n", syscall.ENOENT)},
		{"delete a link, other digest", Change{Op: Delete, Path: "link", Expect: other}, plain(ErrChanged)},
		{"delete a directory", Change{Op: Delete, Path: "d"}, pathErr("open", "d", syscall.EISDIR)},
		{"move, other digest", Change{Op: Move, Path: "a", To: "n", Expect: other}, plain(ErrChanged)},
		{"move, missing", Change{Op: Move, Path: "n", To: "m"}, pathErr("move", "n", syscall.ENOENT)},
		{"move onto a file", Change{Op: Move, Path: "a", To: "bin"}, pathErr("move", "bin", syscall.EEXIST)},
		{"move onto a link", Change{Op: Move, Path: "a", To: "dangling"}, pathErr("move", "dangling", syscall.EEXIST)},
		{"move onto itself", Change{Op: Move, Path: "a", To: "a"}, pathErr("move", "a", syscall.EEXIST)},
		{"move onto a file elsewhere", Change{Op: Move, Path: "a", To: "d/b"}, pathErr("move", "d/b", syscall.EEXIST)},
		{"move a directory", Change{Op: Move, Path: "d", To: "e"}, pathErr("open", "d", syscall.EISDIR)},
		{"mkdir, exists", Change{Op: Mkdir, Path: "d"}, pathErr("mkdir", "d", syscall.EEXIST)},
		{"put on a directory", Change{Op: Put, Path: "d"}, pathErr("open", "d", syscall.EISDIR)},
		{"put over max", Change{Op: Put, Path: "a", Data: a, Max: 7}, plain(&TooLargeError{Size: 8})},
		{"edit, source over max", Change{Op: Edit, Path: "a", Max: 7, Splices: replaceFirst(string(a), "two", "")},
			plain(&TooLargeError{Size: 8})},
		{"edit, result over max", Change{Op: Edit, Path: "a", Max: 8, Splices: replaceFirst(string(a), "two", "2222")},
			plain(&TooLargeError{Size: 9})},
		{"undo without history", Change{Op: Undo, Path: "a", Undo: "a"}, plain(ErrNoUndo)},
		{"undo, other digest", Change{Op: Undo, Path: "a", Undo: "a", Expect: other}, plain(ErrChanged)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, before := start(t)
			c := tt.change
			c.Path = w.path(c.Path)
			if c.To != "" {
				c.To = w.path(c.To)
			}
			for _, dry := range []bool{true, false} {
				_, err := w.apply(t.Context(), c, &Options{DryRun: dry})
				require.Equal(t, &ChangeError{Index: 0, Path: c.Path, Err: tt.want(w)}, err)
				require.Equal(t, before, tree(t, w.dir))
			}
		})
	}
}

func TestApplyRefusesSets(t *testing.T) {
	w, before := start(t)
	put := Change{Op: Put, Path: w.path("n")}
	tests := []struct {
		name string
		set  Set
		want error
	}{
		{"two files", Set{Changes: []Change{put, put}}, ErrManyFiles},
		{"no operation", Set{Changes: []Change{{Path: "x"}}}, ErrInvalid},
		{"splices of put", Set{Changes: []Change{{Op: Put, Path: "x", Splices: make([]text.Splice, 1)}}}, ErrInvalid},
		{"data of edit", Set{Changes: []Change{{Op: Edit, Path: "x", Data: []byte("x")}}}, ErrInvalid},
		{"move to nowhere", Set{Changes: []Change{{Op: Move, Path: "x"}}}, ErrInvalid},
		{"put to", Set{Changes: []Change{{Op: Put, Path: "x", To: "y"}}}, ErrInvalid},
		{"undo without a key", Set{Changes: []Change{{Op: Undo, Path: "x"}}}, ErrInvalid},
		{"undo of a move", Set{Changes: []Change{{Op: Move, Path: "x", To: "y", Undo: "k"}}}, ErrInvalid},
		{"undo_new of a delete", Set{Changes: []Change{{Op: Delete, Path: "x", Undo: "k", UndoNew: true}}}, ErrInvalid},
		{"expect is no digest", Set{Changes: []Change{{Op: Put, Path: "x", Expect: strings.ToUpper(digest(nil))}}}, ErrInvalid},
		{"negative max", Set{Changes: []Change{{Op: Put, Path: "x", Max: -1}}}, ErrInvalid},
		{"name of a blob", Set{Changes: []Change{put}, State: []StatePut{{Name: "a/b"}}}, session.ErrName},
		{"too much state", Set{Changes: []Change{put}, State: []StatePut{{Name: "a", Data: make([]byte, session.MaxState+1)}}},
			session.ErrQuota},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Apply(t.Context(), w.jail, w.s, &tt.set, nil)
			require.ErrorIs(t, err, tt.want)
			require.Equal(t, before, tree(t, w.dir))
		})
	}
	t.Run("without a session", func(t *testing.T) {
		_, err := Apply(t.Context(), w.jail, nil, &Set{State: []StatePut{{Name: "a"}}}, nil)
		require.ErrorIs(t, err, ErrInvalid)
		put.Undo = "k"
		_, err = Apply(t.Context(), w.jail, nil, &Set{Changes: []Change{put}}, nil)
		require.NoError(t, err)
		_, err = Apply(t.Context(), w.jail, nil, &Set{Changes: []Change{{Op: Undo, Path: put.Path, Undo: "k"}}}, nil)
		require.ErrorIs(t, err, ErrNoUndo)
	})
}

func TestEditOfWhatIsNoText(t *testing.T) {
	w, before := start(t)
	insert := []text.Splice{{Insert: []byte("x")}}
	_, err := w.apply(t.Context(), Change{Op: Edit, Path: w.path("bin"), Splices: insert}, nil)
	var no *text.UndecodableError
	require.ErrorAs(t, err, &no)
	require.ErrorIs(t, err, ErrInvalid)
	_, err = w.apply(t.Context(), Change{Op: Edit, Path: w.path("a"), Splices: []text.Splice{{At: 99}}}, nil)
	require.ErrorIs(t, err, ErrInvalid)
	require.Equal(t, before, tree(t, w.dir))

	latin := w.file(t, "latin", "caf\xe9 \x80\n", 0o644)
	out := w.must(t, Change{Op: Edit, Path: latin, Splices: []text.Splice{{Insert: []byte("\u4e2d")}}})
	require.Equal(t, "windows-1252", out.ConvertedFrom)
	require.Equal(t, "0644 \u4e2dcaf\u00e9 \u20ac\n", tree(t, w.dir)["latin"])
}

func TestApplyDeniedAndSpecialFiles(t *testing.T) {
	w, _ := start(t)
	require.NoError(t, syscall.Mkfifo(w.path("fifo"), 0o600))
	for _, op := range []Op{Put, Edit, Delete} {
		_, err := w.apply(t.Context(), Change{Op: op, Path: w.path("fifo")}, nil)
		require.ErrorIs(t, err, jail.ErrNotRegular, op)
		var pe *fs.PathError
		require.ErrorAs(t, err, &pe)
		require.Equal(t, w.path("fifo"), pe.Path)
	}
	_, err := w.apply(t.Context(), Change{Op: Put, Path: w.path("../outside")}, nil)
	var denied *jail.DeniedError
	require.ErrorAs(t, err, &denied)
	require.Equal(t, w.path("../outside"), denied.Path)
}

func TestApplyCancelled(t *testing.T) {
	w, before := start(t)
	for _, at := range []string{"staged", "prepared"} {
		ctx, cancel := context.WithCancel(t.Context())
		step = func(name string) {
			if name == at {
				cancel()
			}
		}
		_, err := w.apply(ctx, Change{Op: Put, Path: w.path("a"), Data: []byte("x"), Undo: "k"}, nil)
		step = func(string) {}
		require.ErrorIs(t, err, context.Canceled, at)
		require.Equal(t, before, tree(t, w.dir), at)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	step = func(name string) {
		if name == "renamed" {
			cancel()
		}
	}
	defer func() { step = func(string) {} }()
	_, err := w.apply(ctx, Change{Op: Put, Path: w.path("a"), Data: []byte("x"), Undo: "k"}, nil)
	require.NoError(t, err, "after the rename the set is finished")
	_, err = w.apply(t.Context(), Change{Op: Undo, Path: w.path("a"), Undo: "k"}, nil)
	require.NoError(t, err)
	require.Equal(t, before, tree(t, w.dir), "one entry, not three")
}

// Somebody who does not take the lock is noticed up to the rename.
func TestApplyMeetsOtherWriters(t *testing.T) {
	tests := []struct {
		name   string
		change Change
		other  func(w *world) error
		want   string // tree entry of "a" or "n"
	}{
		{"wrote", Change{Op: Put, Path: "a", Data: []byte("x")},
			func(w *world) error { return os.WriteFile(w.path("a"), []byte("theirs"), 0) }, "0644 theirs"},
		{"replaced", Change{Op: Edit, Path: "a"},
			func(w *world) error { return os.Rename(w.path("bin"), w.path("a")) }, "0600 \x00\x01\xff\xfe"},
		{"made", Change{Op: Put, Path: "n", Data: []byte("x")},
			func(w *world) error { return os.WriteFile(w.path("n"), []byte("theirs"), 0o600) }, "0600 theirs"},
		{"removed", Change{Op: Put, Path: "a", Data: []byte("x")},
			func(w *world) error { return os.Remove(w.path("a")) }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := start(t)
			step = func(name string) {
				if name == "prepared" {
					require.NoError(t, tt.other(w))
				}
			}
			defer func() { step = func(string) {} }()
			c := tt.change
			name := c.Path
			c.Path, c.Undo = w.path(name), "k"
			_, err := w.apply(t.Context(), c, nil)
			require.ErrorIs(t, err, ErrChanged)
			require.Equal(t, tt.want, tree(t, w.dir)[name])
			for n := range tree(t, w.dir) {
				require.NotContains(t, n, ".ohhost-")
			}
			_, err = w.apply(t.Context(), Change{Op: Undo, Path: c.Path, Undo: "k"}, nil)
			require.ErrorIs(t, err, ErrNoUndo)
		})
	}
}

func TestApplyState(t *testing.T) {
	w, _ := start(t)
	set := &Set{
		Changes: []Change{{Op: Put, Path: w.path("a"), Data: []byte("x")}},
		State:   []StatePut{{"one", []byte("1")}, {"two", []byte("2")}},
	}
	_, err := Apply(t.Context(), w.jail, w.s, set, &Options{DryRun: true})
	require.NoError(t, err)
	got, err := w.s.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, got)

	_, err = Apply(t.Context(), w.jail, w.s, set, nil)
	require.NoError(t, err)
	two, ok, err := w.s.Get(t.Context(), "two")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "2", string(two))

	set.State[1].Data = []byte("3")
	set.Changes[0].Expect = digest([]byte("other"))
	_, err = Apply(t.Context(), w.jail, w.s, set, nil)
	require.ErrorIs(t, err, ErrChanged)
	two, _, err = w.s.Get(t.Context(), "two")
	require.NoError(t, err)
	require.Equal(t, "2", string(two))

	_, err = Apply(t.Context(), w.jail, w.s, &Set{State: []StatePut{{"only", []byte("4")}}}, nil)
	require.NoError(t, err)
	got, err = w.s.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"one", "only", "two"}, got)
}

func TestChangeErrorNamesThePathOnce(t *testing.T) {
	pe := &fs.PathError{Op: "open", Path: "/w/a", Err: syscall.EACCES}
	require.EqualError(t, &ChangeError{Path: "/w/a", Err: pe}, "open /w/a: permission denied")
	require.EqualError(t, &ChangeError{Path: "/w/a", Err: ErrNoUndo}, "/w/a: no undo entry")
	require.True(t, errors.Is(ErrUndoChanged, ErrChanged))
}

//go:build unix

package changeset

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestFE22_ModesAreKept(t *testing.T) {
	for _, mode := range []uint32{0o755, 0o600, 0o444, 0o4755, 0o2775, 0o7777, 0o604} {
		w := newWorld(t)
		f := w.file(t, "f", "a\n", fromBits(mode))
		before := tree(t, w.dir)
		w.must(t, Change{Op: Edit, Path: f, Splices: replaceFirst("a\n", "a", "b"), Undo: f})
		w.must(t, w.undo(f))
		require.Equal(t, before, tree(t, w.dir))
		w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
		require.Equal(t, tree(t, w.dir)["f"][:4], before["f"][:4])
	}
}

func TestFE23_NewFilesFollowTheUmask(t *testing.T) {
	for umask, want := range map[int]uint32{0o022: 0o644, 0o002: 0o664, 0o077: 0o600} {
		w := newWorld(t)
		old := syscall.Umask(umask)
		_, err := w.apply(t.Context(), Change{Op: Put, Path: w.path("n.sh"), Expect: abi.Absent}, nil)
		_, errDir := w.apply(t.Context(), Change{Op: Mkdir, Path: w.path("d")}, nil)
		syscall.Umask(old)
		require.NoError(t, err)
		require.NoError(t, errDir)
		info, err := os.Stat(w.path("n.sh"))
		require.NoError(t, err)
		require.Equal(t, want, bits(info.Mode()))
		info, err = os.Stat(w.path("d"))
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o777&^umask), info.Mode().Perm())
	}
}

func TestFE24_OwnerIsKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	w := newWorld(t)
	f := w.file(t, "f", "a\n", 0o644)
	require.NoError(t, os.Chown(f, 1234, 2345))
	require.NoError(t, os.Chmod(f, fromBits(0o6755)))
	for _, c := range []Change{{Op: Put, Path: f, Data: []byte("b\n"), Undo: f}, w.undo(f)} {
		w.must(t, c)
		info, err := os.Stat(f)
		require.NoError(t, err)
		st := info.Sys().(*syscall.Stat_t)
		require.Equal(t, []uint32{1234, 2345, 0o6755}, []uint32{st.Uid, st.Gid, bits(info.Mode())})
	}
}

func TestFE24_HardLinkIsSplit(t *testing.T) {
	w := newWorld(t)
	h1 := w.file(t, "h1", "a\n", 0o644)
	require.NoError(t, os.Link(h1, w.path("h2")))
	w.must(t, Change{Op: Edit, Path: h1, Splices: replaceFirst("a\n", "a", "b")})
	require.Equal(t, map[string]string{"h1": "0644 b\n", "h2": "0644 a\n"}, tree(t, w.dir))
}

func TestLongestName(t *testing.T) {
	w := newWorld(t)
	name := strings.Repeat("n", 255)
	w.must(t, Change{Op: Put, Path: w.path(name), Data: []byte("1"), Undo: "k"})
	w.must(t, Change{Op: Put, Path: w.path(name), Data: []byte("2"), Undo: "k"})
	w.must(t, Change{Op: Undo, Path: w.path(name), Undo: "k"})
	_, err := w.apply(t.Context(), Change{Op: Put, Path: w.path(name + "n")}, nil)
	require.ErrorIs(t, err, syscall.ENAMETOOLONG)
	var pe *fs.PathError
	require.ErrorAs(t, err, &pe)
	require.Equal(t, w.path(name+"n"), pe.Path)
	require.Len(t, tree(t, w.dir), 1)
}

func TestModeBits(t *testing.T) {
	for b := range uint32(0o10000) {
		require.Equal(t, b, bits(fromBits(b)))
	}
	require.Equal(t, fs.ModeSetuid|0o755, fromBits(0o4755))
}

func TestLitterOfAKilledProcessIsSwept(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o644)
	w.file(t, ".ohhost-mine.tmp", "not ours", 0o600)
	for _, c := range []Change{{Op: Put, Path: f, Data: []byte("b")}, {Op: Mkdir, Path: w.path("d")}, {Op: Delete, Path: f}} {
		w.file(t, tempName, "half", 0o600)
		w.must(t, c)
		require.NoFileExists(t, w.path(tempName))
	}
	require.Equal(t, map[string]string{"d": "dir 0755", ".ohhost-mine.tmp": "0600 not ours"}, tree(t, w.dir))
}

// What has the name of the staged file and cannot be one is neither written to
// nor removed, and keeps nobody from editing.
func TestStagedNameIsTaken(t *testing.T) {
	for what, take := range map[string]func(w *world, other string) error{
		"link":      func(w *world, other string) error { return os.Symlink(other, w.path(tempName)) },
		"hard link": func(w *world, other string) error { return os.Link(other, w.path(tempName)) },
		"directory": func(w *world, _ string) error { return os.Mkdir(w.path(tempName), 0o755) },
		"FIFO":      func(w *world, _ string) error { return syscall.Mkfifo(w.path(tempName), 0o600) },
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			f, other := w.file(t, "f", "a", 0o644), w.file(t, "other", "x", 0o644)
			require.NoError(t, take(w, other))
			before, err := os.Lstat(w.path(tempName))
			require.NoError(t, err)
			w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
			w.must(t, Change{Op: Put, Path: w.path("n"), Data: []byte("n")})
			after, err := os.Lstat(w.path(tempName))
			require.NoError(t, err)
			require.True(t, os.SameFile(before, after))
			require.NoError(t, os.Remove(w.path(tempName)))
			require.Equal(t, map[string]string{"f": "0644 b", "n": "0644 n", "other": "0644 x"}, tree(t, w.dir))
		})
	}
}

// Nobody has a file of that name by accident; one of a name alike is not ours.
func TestStagedNameIsOdd(t *testing.T) {
	require.Regexp(t, `^\.ohhost-staged-[0-9a-f]{16}\.tmp$`, tempName)
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o644)
	w.file(t, ".ohhost-staged.tmp", "mine", 0o600)
	w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
	require.Equal(t, map[string]string{"f": "0644 b", ".ohhost-staged.tmp": "0600 mine"}, tree(t, w.dir))
}

// A staged file that got another name meanwhile is somebody's now.
func TestDiscardKeepsWhatIsLinked(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o644)
	at(t, "staged", func() {
		require.NoError(t, os.WriteFile(f, []byte("theirs"), 0o644))
		require.NoError(t, os.Link(w.path(tempName), w.path("kept")))
	})
	_, err := w.apply(t.Context(), Change{Op: Put, Path: f, Data: []byte("b"), Expect: digest([]byte("a"))}, nil)
	require.ErrorIs(t, err, ErrChanged)
	require.Equal(t, map[string]string{"f": "0644 theirs", "kept": "0644 b", tempName: "0644 b"}, tree(t, w.dir))
}

// The staged file is not the one that was made: somebody who does not take our
// lock stages there, too.
func TestStagedFileIsReplaced(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o644)
	times := 0
	at(t, "staged", func() {
		if times++; times == 1 {
			w.file(t, "theirs", "theirs", 0o600)
			require.NoError(t, os.Rename(w.path("theirs"), w.path(tempName)))
		}
	})
	w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
	require.Equal(t, 2, times)
	require.Equal(t, map[string]string{"f": "0644 b"}, tree(t, w.dir))
}

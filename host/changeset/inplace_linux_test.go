package changeset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// ownMounts gives the test mounts that nobody else sees. Its thread ends with
// it.
func ownMounts(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	runtime.LockOSThread()
	require.NoError(t, unix.Unshare(unix.CLONE_NEWNS))
	require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
}

func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	require.NoError(t, unix.Mount(source, target, kind, flags, data))
	t.Cleanup(func() { require.NoError(t, unix.Unmount(target, unix.MNT_DETACH)) })
}

func TestFE24_BindMountedFile(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	m := w.file(t, "m", "", 0o600)
	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, []byte("a\n"), 0o600))
	require.NoError(t, os.Chown(src, 1234, 2345))
	require.NoError(t, os.Chmod(src, fromBits(0o4755)))
	mount(t, src, m, "", unix.MS_BIND, "")
	before := tree(t, w.dir)

	dry, err := w.apply(t.Context(), Change{Op: Edit, Path: m, Splices: replaceFirst("a\n", "a", "longer")}, &Options{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, before, tree(t, w.dir))
	out := w.must(t, Change{Op: Edit, Path: m, Splices: replaceFirst("a\n", "a", "longer"), Undo: m})
	require.Equal(t, dry, out)
	require.Equal(t, map[string]string{"m": "4755 longer\n"}, tree(t, w.dir))
	w.must(t, Change{Op: Put, Path: m, Data: []byte("x"), Undo: m})
	require.Equal(t, map[string]string{"m": "4755 x"}, tree(t, w.dir))
	w.must(t, w.undo(m))
	w.must(t, w.undo(m))
	require.Equal(t, before, tree(t, w.dir))
	info, err := os.Stat(src)
	require.NoError(t, err)
	st := info.Sys().(*syscall.Stat_t)
	require.Equal(t, []uint32{1234, 2345}, []uint32{st.Uid, st.Gid})
	requireEmptySession(t, w)

	_, err = w.apply(t.Context(), Change{Op: Delete, Path: m}, nil)
	require.Equal(t, &ChangeError{Path: m, Err: &fs.PathError{Op: "remove", Path: m, Err: syscall.EBUSY}}, err)
}

// State of a set survives the way from rename to overwriting.
func TestFE24_BindMountedFileWithState(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	m := w.file(t, "m", "", 0o600)
	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, []byte("a"), 0o600))
	mount(t, src, m, "", unix.MS_BIND, "")
	_, err := Apply(t.Context(), w.jail, w.s, &Set{
		Changes: []Change{{Op: Put, Path: m, Data: []byte("b")}}, State: []StatePut{{"s", []byte("1")}}}, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"m": "0600 b"}, tree(t, w.dir))
	got, _, err := w.s.Get(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, "1", string(got))
	requireEmptySession(t, w)
}

func TestF13_FE25_FullDisk(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.path("t"), 0o755))
	mount(t, "tmpfs", w.path("t"), "tmpfs", 0, "size=64k")
	f := w.file(t, "t/f", strings.Repeat("x", 40<<10), 0o640)
	before := tree(t, w.dir)
	want := &ChangeError{Path: f, Err: &fs.PathError{Op: "write", Path: f, Err: syscall.ENOSPC}}
	for _, c := range []Change{
		{Op: Edit, Path: f, Splices: replaceFirst("x", "x", strings.Repeat("y", 40<<10)), Undo: f},
		{Op: Put, Path: f, Data: make([]byte, 80<<10), Undo: f},
	} {
		_, err := w.apply(t.Context(), c, nil)
		require.Equal(t, want, err)
		require.Equal(t, before, tree(t, w.dir))
	}
	n := w.path("t/n")
	_, err := w.apply(t.Context(), Change{Op: Put, Path: n, Data: make([]byte, 80<<10)}, nil)
	require.Equal(t, &ChangeError{Path: n, Err: &fs.PathError{Op: "write", Path: n, Err: syscall.ENOSPC}}, err)
	require.Equal(t, before, tree(t, w.dir))
	_, err = w.apply(t.Context(), w.undo(f), nil)
	require.ErrorIs(t, err, ErrNoUndo)
}

// The disk is full in the middle of overwriting: not a byte is touched.
func TestF13_FE25_FullDiskInPlace(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	m := w.file(t, "m", "", 0o600)
	small := t.TempDir()
	mount(t, "tmpfs", small, "tmpfs", 0, "size=64k")
	src := filepath.Join(small, "src")
	old := bytes.Repeat([]byte("x"), 40<<10)
	require.NoError(t, os.WriteFile(src, old, 0o600))
	mount(t, src, m, "", unix.MS_BIND, "")
	_, err := w.apply(t.Context(), Change{Op: Put, Path: m, Data: bytes.Repeat([]byte("y"), 80<<10), Undo: m}, nil)
	require.Equal(t, &ChangeError{Path: m, Err: &fs.PathError{Op: "write", Path: m, Err: syscall.ENOSPC}}, err)
	require.Equal(t, map[string]string{"m": "0600 " + string(old)}, tree(t, w.dir))
	requireEmptySession(t, w)
}

// asNobody runs the child "one" as another user on a world of that user's.
func asNobody(t *testing.T, w *world, set Set) (string, error) {
	t.Helper()
	// The world's parents are closed to others in some set-ups.
	for d := filepath.Dir(w.dir); strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	require.NoError(t, filepath.WalkDir(w.s.Dir(), func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, 65534, 65534)
	}))
	b, err := json.Marshal(set)
	require.NoError(t, err)
	cmd := w.child(t, "one", string(b), "")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		require.NoError(t, err)
	}
	return strings.TrimSpace(string(out)), err
}

func TestFE25_AnotherUsersFiles(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	tests := []struct {
		name          string
		dir           uint32 // mode; the directory is root's
		file          uint32
		owner, group  int
		wantErr, want string // "" is success
	}{
		{"closed directory, own file", 0o555, 0o644, 65534, 65534, "write %s: permission denied", "0644 old"},
		{"closed directory, shared file", 0o555, 0o666, 0, 0, "write %s: permission denied", "0666 old"},
		{"closed directory, closed file", 0o555, 0o644, 0, 0, "write %s: permission denied", "0644 old"},
		{"open directory, closed file", 0o777, 0o644, 0, 0, "write %s: permission denied", "0644 old"},
		{"open directory, shared file", 0o777, 0o664, 1234, 65534, "", "0664 new"},
		{"open directory, own file of a foreign group", 0o777, 0o640, 65534, 1234, "", "0640 new"},
		{"sticky directory, shared file", 0o1777, 0o666, 1234, 1234, "", "0666 new"},
		{"open directory, own read-only file", 0o777, 0o444, 65534, 65534, "", "0444 new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			d := w.path("d")
			require.NoError(t, os.Mkdir(d, 0o755))
			f := w.file(t, "d/f", "old", fromBits(tt.file))
			require.NoError(t, os.Chown(f, tt.owner, tt.group))
			require.NoError(t, os.Chmod(f, fromBits(tt.file)))
			require.NoError(t, os.Chmod(d, fromBits(tt.dir)))
			out, err := asNobody(t, w, Set{Changes: []Change{{Op: Put, Path: f, Data: []byte("new"), Undo: f}}})
			if tt.wantErr != "" {
				require.Error(t, err)
				line, _, _ := strings.Cut(out, "\n") // under -cover more follows
				require.Equal(t, fmt.Sprintf(tt.wantErr, f), line)
			} else {
				require.NoError(t, err, out)
			}
			require.Equal(t, map[string]string{"d": fmt.Sprintf("dir %04o", tt.dir), "d/f": tt.want}, tree(t, w.dir))
			info, err := os.Stat(f)
			require.NoError(t, err)
			st := info.Sys().(*syscall.Stat_t)
			require.Equal(t, []int{tt.owner, tt.group}, []int{int(st.Uid), int(st.Gid)})
		})
	}
}

// A file is mounted into a directory that is read-only.
func TestFE24_FileInReadOnlyDirectory(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.path("d"), 0o755))
	m, other := w.file(t, "d/m", "", 0o600), w.file(t, "d/other", "old", 0o644)
	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, []byte("old"), 0o640))
	mount(t, w.path("d"), w.path("d"), "", unix.MS_BIND, "")
	mount(t, src, m, "", unix.MS_BIND, "")
	require.NoError(t, unix.Mount("", w.path("d"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	out := w.must(t, Change{Op: Put, Path: m, Data: []byte("new"), Undo: m})
	require.Equal(t, "old", string(out.Before))
	for _, p := range []string{other, w.path("d/n")} {
		_, err := w.apply(t.Context(), Change{Op: Put, Path: p, Data: []byte("new"), Undo: p}, nil)
		require.Equal(t, &ChangeError{Path: p, Err: &fs.PathError{Op: "write", Path: p, Err: syscall.EROFS}}, err)
	}
	require.Equal(t, map[string]string{"d": "dir 0755", "d/m": "0640 new", "d/other": "0644 old"}, tree(t, w.dir))
	w.must(t, w.undo(m))
	require.Equal(t, map[string]string{"d": "dir 0755", "d/m": "0640 old", "d/other": "0644 old"}, tree(t, w.dir))
	requireEmptySession(t, w)
}

// F7: a hard link in the workspace leads to a file outside. Where it cannot be
// split, it is not written through.
func TestF7_HardLinkCannotBeSplit(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	for _, tt := range []struct {
		name         string
		owner, group int
		mode         uint32
	}{
		{"foreign owner", 0, 65534, 0o664},
		{"foreign group", 65534, 0, 0o666},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			require.NoError(t, os.Mkdir(w.path("d"), 0o777))
			require.NoError(t, os.Chmod(w.path("d"), 0o777))
			outside := filepath.Join(filepath.Dir(w.dir), "outside")
			require.NoError(t, os.WriteFile(outside, []byte("old"), 0o600))
			require.NoError(t, os.Chown(outside, tt.owner, tt.group))
			require.NoError(t, os.Chmod(outside, fromBits(tt.mode)))
			f := w.path("d/f")
			require.NoError(t, os.Link(outside, f))
			before := tree(t, filepath.Dir(w.dir))
			out, err := asNobody(t, w, Set{Changes: []Change{{Op: Put, Path: f, Data: []byte("new"), Undo: f}}})
			require.Error(t, err)
			line, _, _ := strings.Cut(out, "\n")
			require.Equal(t, "write "+f+": operation not permitted", line)
			after := tree(t, filepath.Dir(w.dir))
			require.Equal(t, before, after)
			requireEmptySession(t, w)
		})
	}
}

// F7: a mounted file has another name before the change, or gets one during it.
func TestF7_HardLinkOfAMountedFile(t *testing.T) {
	ownMounts(t)
	for _, step := range []string{"", "staged", "overwrite"} {
		t.Run("linked at "+step, func(t *testing.T) {
			ownMounts(t)
			w := newWorld(t)
			m := w.file(t, "m", "", 0o600)
			base := t.TempDir()
			src, link := filepath.Join(base, "src"), filepath.Join(base, "link")
			require.NoError(t, os.WriteFile(src, []byte("old"), 0o600))
			mount(t, src, m, "", unix.MS_BIND, "")
			var want error = &fs.PathError{Op: "write", Path: m, Err: syscall.EBUSY}
			if step == "" {
				require.NoError(t, os.Link(src, link))
			} else {
				at(t, step, func() { require.NoError(t, os.Link(src, link)) })
			}
			if step == "overwrite" {
				want = ErrChanged // it was good when it was opened
			}
			_, err := w.apply(t.Context(), Change{Op: Put, Path: m, Data: []byte("new"), Undo: m}, nil)
			require.Equal(t, &ChangeError{Path: m, Err: want}, err)
			require.Equal(t, map[string]string{"m": "0600 old"}, tree(t, w.dir))
			requireEmptySession(t, w)
		})
	}
}

// F7: a half-written file got another name since the process was killed. It is
// set right as soon as it has one again.
func TestF7_RecoverDoesNotWriteThroughHardLinks(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	m := w.file(t, "m", "", 0o600)
	base := t.TempDir()
	src, link := filepath.Join(base, "src"), filepath.Join(base, "link")
	require.NoError(t, os.WriteFile(src, []byte("old"), 0o600))
	mount(t, src, m, "", unix.MS_BIND, "")
	set, err := json.Marshal(Set{Changes: []Change{{Op: Put, Path: m, Data: []byte("brand-new")}}})
	require.NoError(t, err)
	require.True(t, run(t, w.child(t, "one", string(set), "grown")))
	require.NoError(t, os.Link(src, link))
	require.NoError(t, Recover(t.Context(), w.jail, w.s, nil))
	require.Equal(t, map[string]string{"m": "0600 oldnd-new"}, tree(t, w.dir))
	require.False(t, w.s.Settled())
	require.NoError(t, os.Remove(link))
	require.NoError(t, Recover(t.Context(), w.jail, w.s, nil))
	require.Equal(t, map[string]string{"m": "0600 old"}, tree(t, w.dir))
	requireEmptySession(t, w)
}

func TestKilledWhileOverwriting(t *testing.T) {
	ownMounts(t)
	tests := []struct {
		name     string
		old, new string
	}{
		{"grows", strings.Repeat("o", 5000), strings.Repeat("n", 9000)},
		{"shrinks", strings.Repeat("o", 9000), strings.Repeat("n", 5000)},
		{"to nothing", "old", ""},
	}
	for _, tt := range tests {
		for _, kill := range []string{"prepared", "overwrite", "grown", "overwritten", "renamed", "committed"} {
			t.Run(tt.name+" "+kill, func(t *testing.T) {
				// A subtest has a thread of its own; the child inherits its mounts.
				ownMounts(t)
				w := newWorld(t)
				m := w.file(t, "m", "", 0o600)
				src := filepath.Join(t.TempDir(), "src")
				require.NoError(t, os.WriteFile(src, []byte(tt.old), 0o600))
				mount(t, src, m, "", unix.MS_BIND, "")
				set, err := json.Marshal(Set{Changes: []Change{{Op: Put, Path: m, Data: []byte(tt.new), Undo: m}}})
				require.NoError(t, err)
				require.True(t, run(t, w.child(t, "one", string(set), kill)))

				require.NoError(t, Recover(t.Context(), w.jail, w.s, nil))
				got, err := os.ReadFile(m)
				require.NoError(t, err)
				// What was finished stays, everything else is taken back.
				done := kill == "renamed" || kill == "committed" || kill == "overwritten" && len(tt.new) >= len(tt.old)
				if !done {
					require.Equal(t, tt.old, string(got))
					_, err = w.apply(t.Context(), w.undo(m), nil)
					require.ErrorIs(t, err, ErrNoUndo)
				} else {
					require.Equal(t, tt.new, string(got))
					out := w.must(t, w.undo(m))
					require.Equal(t, tt.old, string(out.After))
				}
				w.must(t, Change{Op: Put, Path: m, Data: []byte("next")})
				require.Equal(t, map[string]string{"m": "0600 next"}, tree(t, w.dir))
				requireEmptySession(t, w)
			})
		}
	}
}

// Somebody has written the file since the process was killed: it is theirs.
func TestRecoverLeavesWhatOthersWrote(t *testing.T) {
	ownMounts(t)
	w := newWorld(t)
	m := w.file(t, "m", "", 0o600)
	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, []byte("old content"), 0o600))
	mount(t, src, m, "", unix.MS_BIND, "")
	set, err := json.Marshal(Set{Changes: []Change{{Op: Put, Path: m, Data: []byte("the new content")}}})
	require.NoError(t, err)
	require.True(t, run(t, w.child(t, "one", string(set), "grown")))
	require.NoError(t, os.WriteFile(src, []byte("theirs"), 0o600))
	require.NoError(t, Recover(t.Context(), w.jail, w.s, nil))
	require.Equal(t, map[string]string{"m": "0600 theirs"}, tree(t, w.dir))
	requireEmptySession(t, w)
}

func TestTorn(t *testing.T) {
	tests := []struct {
		now, before, after string
		want               bool
	}{
		{"aaaa", "aaaa", "bbbbbb", true},
		{"aaaab", "aaaa", "bbbbbb", true},
		{"bbaabb", "aaaa", "bbbbbb", true},
		{"bbbaa", "aaaaa", "bbb", true},
		{"bbb", "aaaaa", "bbb", true},
		{"aaacb", "aaaa", "bbbbbb", false},
		{"aa", "aaaa", "bbbbbb", false},
		{"bbbbbbb", "aaaa", "bbbbbb", false},
		{"", "", "", true},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, torn([]byte(tt.now), []byte(tt.before), []byte(tt.after)), "%q", tt.now)
	}
}

// The disk of the session is full: the set does not happen, neither by renaming
// nor in place.
func TestF13_FE25_FullSession(t *testing.T) {
	ownMounts(t)
	base := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "w"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(base, "s"), 0o700))
	mount(t, "tmpfs", filepath.Join(base, "s"), "tmpfs", 0, "size=64k,mode=0700")
	w, err := openWorld(base)
	require.NoError(t, err)
	defer w.close()
	old := strings.Repeat("o", 80<<10)
	f, m := w.file(t, "f", old, 0o600), w.file(t, "m", "", 0o600)
	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, []byte(old), 0o600))
	mount(t, src, m, "", unix.MS_BIND, "")
	before := tree(t, w.dir)

	_, err = w.apply(t.Context(), Change{Op: Put, Path: f, Data: []byte("new"), Undo: f}, nil)
	require.Equal(t, &ChangeError{Path: f, Err: &fs.PathError{Op: "write the undo history of", Path: f, Err: syscall.ENOSPC}}, err)
	_, err = w.apply(t.Context(), Change{Op: Put, Path: m, Data: []byte("new")}, nil)
	require.Equal(t, &ChangeError{Path: m, Err: &fs.PathError{Op: "write the journal of", Path: m, Err: syscall.ENOSPC}}, err)
	_, err = Apply(t.Context(), w.jail, w.s, &Set{
		Changes: []Change{{Op: Put, Path: f, Data: []byte("new")}},
		State:   []StatePut{{"small", []byte("1")}, {"large", []byte(old)}},
	}, nil)
	require.Equal(t, &fs.PathError{Op: "write the state of", Path: f, Err: syscall.ENOSPC}, err)
	require.Equal(t, &fs.PathError{Op: "state", Path: "x", Err: syscall.ENOSPC}, w.s.Put(t.Context(), "x", []byte(old)))
	require.Equal(t, before, tree(t, w.dir))
	blobs, err := w.s.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, blobs)
	requireEmptySession(t, w)
	w.must(t, Change{Op: Put, Path: f, Data: []byte("new")}) // without history there is room
}

package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// FE-22: mode bits, the special ones too, stay after each call, and so do links
// to the file. (Cases of the file compare them at the end of a case only.)
func TestFE22ModeAfterEachCall(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for name, mode := range map[string]uint32{"run.sh": 0o755, "suid": 0o4755, "sgid": 0o2750, "sticky": 0o1644} {
			w.write(name, "a\n", 0o600)
			require.NoError(t, syscall.Chmod(w.path(name), mode))
			for i, edit := range []func(){
				func() { w.edits("str_replace", name, "old_str", "a", "new_str", "b") },
				func() { w.edits("insert", name, "insert_line", 1, "new_str", "c") },
				func() { w.edits("undo_edit", name) },
				func() { w.edits("undo_edit", name) },
			} {
				edit()
				require.Equal(t, mode, w.mode(name), "%s, call %d", name, i)
			}
			require.Equal(t, "a\n", w.read(name))
		}
	})
}

// FE-23: a new file's mode is 0666 without the umask's bits. The umask is the
// process's, so this test runs beside no other.
func TestFE23Umask(t *testing.T) {
	onEngines(t, func(t *testing.T, w *caseSpace) {
		defer syscall.Umask(syscall.Umask(0o022))
		for umask, mode := range map[int]uint32{0o022: 0o644, 0o027: 0o640, 0o077: 0o600, 0o002: 0o664, 0: 0o666, 0o777: 0} {
			syscall.Umask(umask)
			name := fmt.Sprintf("n%03o.sh", umask)
			w.edits("create", name, "file_text", "#!/bin/sh\n")
			require.Equal(t, mode, w.mode(name), "umask %#o", umask)
		}
	})
}

// FE-24: owner and group, each of their own, and the mode that a change of owner
// would take bits from.
func TestFE24Owner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files away")
	}
	onEngines(t, func(t *testing.T, w *caseSpace) {
		for _, id := range []struct {
			uid, gid int
			mode     uint32
		}{{1234, 2345, 0o640}, {1234, 0, 0o4755}, {0, 2345, 0o2775}, {1234, 2345, 0o6755}} {
			name := fmt.Sprintf("f%o", id.mode)
			w.write(name, "a\n", 0o600)
			require.NoError(t, os.Lchown(w.path(name), id.uid, id.gid))
			require.NoError(t, syscall.Chmod(w.path(name), id.mode))
			for _, edit := range []func(){
				func() { w.edits("str_replace", name, "old_str", "a", "new_str", "b") },
				func() { w.edits("insert", name, "insert_line", 1, "new_str", "c") },
				func() { w.edits("undo_edit", name) },
			} {
				edit()
				st := w.stat(name)
				require.Equal(t, []any{uint32(id.uid), uint32(id.gid), id.mode}, []any{st.Uid, st.Gid, w.mode(name)}, name)
			}
			require.Equal(t, "b\n", w.read(name))
		}
	})
}

// FE-24: editing one name of a hard link splits it; the other name keeps its
// inode and the old text.
func TestFE24HardLink(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		w.write("h1", "a\n", 0o755)
		require.NoError(t, os.Link(w.path("h1"), w.path("h2")))
		inode := w.stat("h2").Ino
		w.edits("str_replace", "h1", "old_str", "a", "new_str", "b")

		require.Equal(t, "b\n", w.read("h1"))
		require.Equal(t, "a\n", w.read("h2"))
		require.Equal(t, inode, w.stat("h2").Ino)
		require.Equal(t, []any{uint64(1), uint64(1)}, []any{uint64(w.stat("h1").Nlink), uint64(w.stat("h2").Nlink)})
		require.Equal(t, []string{"h1", "h2"}, w.names("."))
	})
}

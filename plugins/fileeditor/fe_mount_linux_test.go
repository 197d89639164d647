package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// FE-24: a file that is a mount of its own cannot be replaced (EBUSY): it is
// written in place, and owner, mode and mount stay.
func TestFE24BindMount(t *testing.T) {
	inChild(t, func(t *testing.T) {
		onEngines(t, func(t *testing.T, w *caseSpace) {
			source := filepath.Join(t.TempDir(), "m")
			require.NoError(t, os.WriteFile(source, []byte("one\r\ntwo\r\n"), 0o600))
			require.NoError(t, os.Chown(source, 1234, 2345))
			require.NoError(t, os.Chmod(source, 0o640))
			w.write("m", "", 0o644)
			mount(t, source, w.path("m"), "", syscall.MS_BIND, "")
			inode := w.stat("m").Ino

			holds := func(text string) {
				t.Helper()
				st := w.stat("m")
				require.Equal(t, []any{inode, uint32(1234), uint32(2345), uint32(0o640)}, []any{st.Ino, st.Uid, st.Gid, st.Mode & 0o7777})
				b, err := os.ReadFile(source)
				require.NoError(t, err)
				require.Equal(t, text, string(b))
				require.Equal(t, []string{"m"}, w.names("."))
			}
			w.ok(w.wantReplaced("m", "one\n2\n", 1), "str_replace", "m", "old_str", "two", "new_str", "2")
			holds("one\r\n2\r\n")
			w.edits("insert", "m", "insert_line", 2, "new_str", "a longer line at the end")
			holds("one\r\n2\r\na longer line at the end\r\n")
			w.edits("undo_edit", "m")
			holds("one\r\n2\r\n")
			w.edits("str_replace", "m", "old_str", "2\n", "new_str", "")
			holds("one\r\n")
			w.edits("undo_edit", "m")
			w.ok(w.wantUndone("m", "one\ntwo\n"), "undo_edit", "m")
			holds("one\r\ntwo\r\n")
		})
	})
}

// FE-24: a link to such a file is followed and kept.
func TestFE24BindMountThroughLink(t *testing.T) {
	inChild(t, func(t *testing.T) {
		onEngines(t, func(t *testing.T, w *caseSpace) {
			source := filepath.Join(t.TempDir(), "m")
			require.NoError(t, os.WriteFile(source, []byte("a\n"), 0o644))
			w.write("d/m", "", 0o644)
			mount(t, source, w.path("d/m"), "", syscall.MS_BIND, "")
			require.NoError(t, os.Symlink("d/m", w.path("l")))

			w.edits("str_replace", "l", "old_str", "a", "new_str", "b")
			b, err := os.ReadFile(source)
			require.NoError(t, err)
			require.Equal(t, "b\n", string(b))
			to, err := os.Readlink(w.path("l"))
			require.NoError(t, err)
			require.Equal(t, "d/m", to)
			require.Equal(t, []string{"m"}, w.names("d"))
		})
	})
}

// FE-24: a user who may write to a file but cannot give a new one to its owner
// writes in place.
func TestFE24OwnerWithoutRoot(t *testing.T) {
	inChild(t, func(t *testing.T) {
		top, err := os.MkdirTemp("", "")
		require.NoError(t, err)
		for _, engine := range []string{"native", "module"} {
			require.NoError(t, os.MkdirAll(filepath.Join(top, engine), 0o755))
			file := filepath.Join(top, engine, "f")
			require.NoError(t, os.WriteFile(file, []byte("a\n"), 0o666))
			require.NoError(t, os.Chmod(file, 0o666))
			require.NoError(t, os.Chown(filepath.Join(top, engine), nobody, nobody))
		}
		require.NoError(t, os.Chown(top, nobody, nobody))
		becomeNobody(t)
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(top)) })
		onEngines(t, func(t *testing.T, w *caseSpace) {
			w.Root = filepath.Join(top, filepath.Base(t.Name()))
			inode := w.stat("f").Ino
			w.edits("str_replace", "f", "old_str", "a", "new_str", "b")
			require.Equal(t, "b\n", w.read("f"))
			st := w.stat("f")
			require.Equal(t, []any{inode, uint32(0), uint32(0), uint32(0o666)}, []any{st.Ino, st.Uid, st.Gid, st.Mode & 0o7777})
			require.Equal(t, []string{"f"}, w.names("."))
			w.edits("undo_edit", "f")
			require.Equal(t, "a\n", w.read("f"))
		})
	})
}

// FE-25: a write that finds the disk full leaves the original and no litter.
func TestFE25DiskFull(t *testing.T) {
	inChild(t, func(t *testing.T) {
		onEngines(t, func(t *testing.T, w *caseSpace) {
			require.NoError(t, os.Mkdir(w.path("small"), 0o755))
			mount(t, "tmpfs", w.path("small"), "tmpfs", 0, "size=64k,mode=755")
			const noSpace = "[Errno 28] No space left on device: "
			path := w.path("small/f.txt")
			refused := "Ran into " + noSpace + "'" + path + "' while trying to write to " + path

			text := "head\n" + strings.Repeat("0123456789abcde\n", 40<<10/16)
			w.write("small/f.txt", text, 0o640)
			unchanged := func() {
				t.Helper()
				require.Equal(t, text, w.read("small/f.txt"))
				require.Equal(t, uint32(0o640), w.mode("small/f.txt"))
				require.Equal(t, []string{"f.txt"}, w.names("small"))
			}
			growth := strings.Repeat("fedcba9876543210", 40<<10/16)
			w.fails(refused, "str_replace", "small/f.txt", "old_str", "head", "new_str", growth)
			unchanged()
			w.fails(refused, "insert", "small/f.txt", "insert_line", 1, "new_str", growth)
			unchanged()
			w.fails("No edit history found for "+path+".", "undo_edit", "small/f.txt")
			unchanged()

			created := w.path("small/n.txt")
			w.fails("Ran into "+noSpace+"'"+created+"' while trying to write to "+created, "create", "small/n.txt", "file_text", growth)
			unchanged()
		})
	})
}

// FE-25: an undo that finds the disk full keeps the edited text and its entry.
func TestFE25DiskFullUndo(t *testing.T) {
	inChild(t, func(t *testing.T) {
		onEngines(t, func(t *testing.T, w *caseSpace) {
			require.NoError(t, os.Mkdir(w.path("small"), 0o755))
			mount(t, "tmpfs", w.path("small"), "tmpfs", 0, "size=64k,mode=755")
			path := w.path("small/f.txt")
			text := "head\n" + strings.Repeat("0123456789abcde\n", 16<<10/16)
			w.write("small/f.txt", text, 0o644)
			w.edits("str_replace", "small/f.txt", "old_str", text, "new_str", "short\n")
			w.write("small/filler", strings.Repeat("x", 48<<10), 0o644)

			w.fails("Ran into [Errno 28] No space left on device: '"+path+"' while trying to write to "+path, "undo_edit", "small/f.txt")
			require.Equal(t, "short\n", w.read("small/f.txt"))
			require.Equal(t, []string{"f.txt", "filler"}, w.names("small"))

			require.NoError(t, os.Remove(w.path("small/filler")))
			w.ok(w.wantUndone("small/f.txt", text), "undo_edit", "small/f.txt")
			require.Equal(t, text, w.read("small/f.txt"))
			require.Equal(t, []string{"f.txt"}, w.names("small"))
		})
	})
}

// FE-25: a folder that cannot be written to: an error, the original, no litter.
func TestFE25ReadOnlyFolder(t *testing.T) {
	inChild(t, func(t *testing.T) {
		becomeNobody(t)
		onEngines(t, func(t *testing.T, w *caseSpace) {
			w.write("ro/f.txt", "a\r\nb\r\n", 0o644)
			require.NoError(t, os.Symlink("ro/f.txt", w.path("l")))
			w.edits("str_replace", "ro/f.txt", "old_str", "b", "new_str", "c")
			require.NoError(t, os.Chmod(w.path("ro"), 0o555))
			t.Cleanup(func() { require.NoError(t, os.Chmod(w.path("ro"), 0o755)) })

			refused := func(command, name string, args ...any) {
				t.Helper()
				path := w.path(name)
				w.fails("Ran into [Errno 13] Permission denied: '"+path+"' while trying to write to "+path, command, name, args...)
				require.Equal(t, "a\r\nc\r\n", w.read("ro/f.txt"))
				require.Equal(t, uint32(0o644), w.mode("ro/f.txt"))
				require.Equal(t, []string{"f.txt"}, w.names("ro"))
			}
			refused("str_replace", "ro/f.txt", "old_str", "c", "new_str", "d")
			refused("insert", "ro/f.txt", "insert_line", 0, "new_str", "x")
			refused("undo_edit", "ro/f.txt")
			refused("create", "ro/n.txt", "file_text", "x\n")
			refused("str_replace", "l", "old_str", "c", "new_str", "d")

			require.NoError(t, os.Chmod(w.path("ro"), 0o755))
			w.edits("undo_edit", "ro/f.txt") // the entry is still there
			require.Equal(t, "a\r\nb\r\n", w.read("ro/f.txt"))
		})
	})
}

// FE-25: a file that cannot be read.
func TestFE25Unreadable(t *testing.T) {
	inChild(t, func(t *testing.T) {
		becomeNobody(t)
		onEngines(t, func(t *testing.T, w *caseSpace) {
			w.write("f.txt", "a\n", 0o200)
			want := "Ran into [Errno 13] Permission denied: '" + w.path("f.txt") + "' while trying to read " + w.path("f.txt")
			w.fails(want, "view", "f.txt")
			w.fails(want, "str_replace", "f.txt", "old_str", "a", "new_str", "b")
			w.fails(want, "insert", "f.txt", "insert_line", 0, "new_str", "b")
			w.fails(want, "undo_edit", "f.txt")
			require.Equal(t, uint32(0o200), w.mode("f.txt"))
			require.Equal(t, int64(2), w.stat("f.txt").Size)
		})
	})
}

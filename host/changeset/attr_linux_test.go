package changeset

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// acl makes an access list in the kernel's form from tag, permission and id.
func acl(entries ...[3]uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return b
}

const nobody = ^uint32(0)

// setAttr sets an attribute; a file system without it ends the test.
func setAttr(t *testing.T, path, name string, value []byte) {
	t.Helper()
	err := unix.Setxattr(path, name, value, 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skipf("%s is not supported by the file system of %s", name, os.TempDir())
	}
	require.NoError(t, err)
}

func TestAttributesAreKept(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o640)
	list := acl([3]uint32{1, 6, nobody}, [3]uint32{2, 6, 1234}, [3]uint32{4, 0, nobody}, [3]uint32{0x10, 6, nobody}, [3]uint32{0x20, 0, nobody})
	big := make([]byte, 2000)
	setAttr(t, f, "user.note", []byte("kept"))
	setAttr(t, f, "user.big", big)
	setAttr(t, f, accessList, list)
	before := tree(t, w.dir)["f"][:4]
	w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
	file, err := os.Open(f)
	require.NoError(t, err)
	defer file.Close()
	fd := int(file.Fd())
	for name, want := range map[string][]byte{"user.note": []byte("kept"), "user.big": big, accessList: list} {
		got, err := attribute(fd, name)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	require.Equal(t, before+" b", tree(t, w.dir)["f"])
}

// A default access list of the directory counts for new files and for no others.
func TestDefaultAccessList(t *testing.T) {
	w := newWorld(t)
	f := w.file(t, "f", "a", 0o640)
	list := acl([3]uint32{1, 7, nobody}, [3]uint32{2, 7, 1234}, [3]uint32{4, 0, nobody}, [3]uint32{0x10, 7, nobody}, [3]uint32{0x20, 0, nobody})
	setAttr(t, w.dir, "system.posix_acl_default", list)
	w.must(t, Change{Op: Put, Path: f, Data: []byte("b")})
	w.must(t, Change{Op: Put, Path: w.path("n"), Data: []byte("n")})
	lists := map[string]bool{}
	for _, name := range []string{"f", "n"} {
		file, err := os.Open(w.path(name))
		require.NoError(t, err)
		_, err = attribute(int(file.Fd()), accessList)
		lists[name] = err == nil
		require.NoError(t, file.Close())
	}
	require.Equal(t, map[string]bool{"f": false, "n": true}, lists)
	require.Equal(t, map[string]string{"f": "0640 b", "n": "0660 n"}, tree(t, w.dir))
}

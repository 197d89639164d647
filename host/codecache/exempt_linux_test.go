package codecache

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyMember(t *testing.T) {
	const passwd = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:Ann,,,:/home/ann:/bin/bash\nann2:x:1000:1000::/:/bin/sh\n"
	for _, c := range []struct {
		name, passwd, group string
		want                bool
	}{
		{"own group", passwd, "root:x:0:\nann:x:1000:\n", true},
		{"listed in it", passwd, "ann:x:1000:ann\n", true},
		{"listed by two names", passwd, "ann:x:1000:ann,ann2\n", true},
		{"without an entry", passwd, "", true},
		{"another member", passwd, "ann:x:1000:bob\n", false},
		{"another member beside", passwd, "ann:x:1000:ann,bob", false},
		{"another member in a second line", passwd, "ann:x:1000:\nstaff:x:1000:bob\n", false},
		{"another's primary group", passwd + "bob:x:1001:1000::/:/bin/sh", "ann:x:1000:\n", false},
		{"not her primary group", "ann:x:1000:100::/:/bin/sh\n", "ann:x:1000:ann\n", false},
		{"not in passwd", "", "ann:x:1000:\n", false},
		{"NIS users", passwd + "+::::::\n", "ann:x:1000:\n", false},
		{"NIS groups", passwd, "ann:x:1000:\n+:::\n", false},
		{"damaged lines", "a:b\n\n:::\n" + passwd, "\nx\nann:x:1000:\n", true},
	} {
		require.Equal(t, c.want, onlyMember(c.passwd, c.group, "1000", "1000"), c.name)
	}
}

func TestInMap(t *testing.T) {
	const all = "         0          0 4294967295\n"
	for _, c := range []struct {
		ids  string
		uid  uint64
		want bool
	}{
		{all, 65534, true},
		{"      1000       1000          1\n", 65534, false},
		{"      1000       1000          1\n", 1000, true},
		{"      1000       1000          1\n", 1001, false},
		{"0 100000 65536\n", 65534, true},
		{"0 1000 1\n1 100000 65536\n", 65536, true},
		{"0 1000 1\n1 100000 65536\n", 65537, false},
		{"", 65534, false},
		{"1000 1000\n", 65534, true},
		{"a 0 1\n", 65534, true},
		{"18446744073709551615 0 18446744073709551615\n", 1, false},
	} {
		require.Equal(t, c.want, inMap(c.ids, c.uid), "%q %d", c.ids, c.uid)
	}
}

// TestUserNamespace: in a sandbox that knows only this user, the directories of
// those it does not know may hold the cache, but are not the cache; and a process
// that its own namespace does not know sees no owners at all.
func TestUserNamespace(t *testing.T) {
	asRoot(t)
	const none = -1
	for _, c := range []struct {
		name    string
		as      int // the uid of root in the namespace
		prepare func(p place)
		want    string
	}{
		{"unknown owner above", 1000, func(p place) { give(t, p.top, stranger) }, ""},
		{"above, root in the namespace", 0, func(p place) { give(t, p.top, stranger) }, ""},
		{"above, writable by others", 1000, func(p place) {
			give(t, p.top, stranger)
			require.NoError(t, os.Chmod(p.top, 0o777))
		}, "code cache: %[1]s: others can write to it (mode 0777): take that right away (chmod go-w), or use another directory"},
		{"the cache's", 1000, func(p place) {
			mkdir(t, p.dir, 0o755)
			give(t, p.dir, stranger)
		}, "code cache: %[1]s/cache belongs to user 65534, not to user 1000 who runs this: use another directory"},
		{"a link's", 1000, func(p place) {
			mkdir(t, p.dir+".real", 0o700)
			require.NoError(t, os.Symlink(p.dir+".real", p.dir))
			give(t, p.dir, stranger)
		}, "code cache: %[1]s/cache belongs to user 65534, not to user 1000 who runs this: use another directory"},
		{"not known itself", none, func(place) {},
			"code cache: %[1]s/cache: this user namespace does not map the user who runs this, so everybody's files look like its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.Chmod(p.top, 0o755))
			mkdir(t, p.top+"/state", 0o700)
			mkdir(t, p.dir, 0o700)
			require.NoError(t, os.Remove(p.dir))
			if c.want == "" {
				mkdir(t, p.dir, 0o700)
			}
			c.prepare(p)
			cmd := child(t, "open", p.dir, p.key)
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
			if c.as != none {
				cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: c.as, HostID: 0, Size: 1}}
			}
			cmd.Stderr = nil
			_, err := cmd.Output()
			exit, ran := err.(*exec.ExitError)
			switch {
			case err != nil && !ran:
				t.Skip("no user namespaces here:", err)
			case c.want == "":
				require.NoError(t, err, exit)
			default:
				require.Error(t, err)
				require.Equal(t, fmt.Sprintf(c.want, p.top), strings.TrimSpace(string(exit.Stderr)))
			}
		})
	}
}

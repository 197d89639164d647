//go:build linux || darwin

package jail

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

func TestZeroGrant(t *testing.T) {
	each(t, func(w *world) {
		w.grant(&tool.Grant{Workspace: w.w}, nil)
		for _, p := range []string{"/", w.w, w.w + "/a/b/f", "/etc/passwd"} {
			w.denied(p)
		}
		require.Empty(w, w.jail.Grants())
	})
}

func TestMostSpecificGrant(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/ro/f", "ro")
		w.write("w/ro/rw/f", "rw")
		w.write("w/ro/file", "file")
		w.write("w/keep", "keep")
		w.write("one/single", "single")
		w.write("one/other", "other")
		w.link("../ro/rw/f", "w/a/l")
		w.link("../../../one/single", "w/ro/rw/s")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{
			{Path: w.w, Write: true}, {Path: w.w + "/ro/"}, {Path: w.w + "/ro/rw", Write: true}, {Path: w.w + "/./ro//file", Write: true},
			{Path: w.w + "/keep"}, {Path: w.dir + "/one/single", Write: true}, {Path: w.dir + "/one/new", Write: true}, {Path: w.w},
		}}, nil)
		require.Equal(w, []string{
			"ro " + w.w + "/keep", "ro " + w.w + "/ro", "rw " + w.dir + "/one/new", "rw " + w.dir + "/one/single",
			"rw " + w.w, "rw " + w.w + "/ro/file", "rw " + w.w + "/ro/rw",
		}, w.jail.Grants())
		for _, p := range []string{"/a/new", "/ro/rw/new", "/ro/file", "/a/l", "/ro/rw/s", "/../one/new", "/ro/../x"} {
			w.puts(w.w + p)
		}
		for _, p := range []string{"/ro/f", "/ro/new", "/keep", "/ro/rw/../f"} {
			d := w.noWrite(w.w + p)
			require.Equal(w, "it is granted for reading only", d.Why)
		}
		require.Equal(w, "--grant rw:"+w.w+"/ro/new", w.noWrite(w.w+"/ro/new").Ask)
		// A granted directory is not an entry that may be exchanged.
		for _, p := range []string{"", "/ro", "/ro/rw"} {
			for _, follow := range []bool{true, false} {
				_, err := w.jail.Target(w.w+p, follow)
				w.isDenied(w.w+p, err)
			}
		}
		w.reads(w.w+"/ro/f", "ro")
		for _, p := range []string{"/one", "/one/other", "/one/single2", "/one/new/x"} {
			if p == "/one/new/x" {
				w.fails(w.dir+p, syscall.ENOTDIR)
				continue
			}
			w.denied(w.dir + p)
		}
	})
}

func TestDeny(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/.env", secret)
		w.write("w/a/.env", secret)
		w.write("w/a/x.key", secret)
		w.write("w/a/public.key", "public")
		w.write("w/secrets/deep/f", secret)
		w.write("w/a/secrets", "a file of that name")
		w.write("w/sub/build/out", "sub")
		w.write("w/build/out", secret)
		w.write("w/sub/vendor/inner/f", secret)
		w.write("w/log/keep.txt", "kept")
		w.write("w/log/x.txt", secret)
		w.link("secrets/deep", "w/l")
		w.link(".env", "w/env")
		w.grant(&tool.Grant{
			Paths: []tool.PathGrant{{Path: w.w, Write: true}, {Path: w.w + "/sub", Write: true}, {Path: w.w + "/sub/vendor", Write: true}},
			Deny:  []string{".env", "*.key", "!public.key", "secrets/", "/build", "/vendor/inner", "log/*", "!log/keep.txt", "a/*/z"},
		}, nil)
		for _, p := range []string{
			"/.env", "/a/.env", "/a/new/.env", "/a/x.key", "/a/new.key", "/secrets", "/secrets/deep/f", "/secrets/new", "/secrets/../.env",
			"/l", "/l/f", "/env", "/build", "/build/out", "/build/new", "/log/x.txt", "/log/new", "/.ENV", "/a/X.KEY", "/a/PUBLIC.KEY", "/SECRETS/x",
			"/sub/vendor/inner/f", "/sub/vendor/inner", "/a/b/z", "/sub/build", "/sub/build/out",
		} {
			w.denied(w.w + p)
		}
		require.Equal(w, DeniedError{Path: w.w + "/a/x.key", Why: "it matches the deny pattern '*.key'"}, *w.denied(w.w + "/a/x.key"))
		for p, text := range map[string]string{"/a/public.key": "public", "/a/secrets": "a file of that name", "/log/keep.txt": "kept"} {
			w.reads(w.w+p, text)
		}
		w.puts(w.w + "/a/public.key")
		w.puts(w.w + "/log/keep.txt")
		require.Equal(w, []string{"b", "public.key", "secrets"}, w.names(w.w+"/a"))
		require.Equal(w, []string{"a", "env", "l", "log", "sub"}, w.names(w.w))
		list, err := w.jail.List(w.Context(), w.w, true, 0)
		require.NoError(w, err)
		for _, e := range list {
			if e.Name == "l" || e.Name == "env" {
				require.Equal(w, byte(abi.TypeNone), e.Target)
			}
		}
		// Whether a denied directory exists makes no difference.
		require.NoError(w, os.RemoveAll(w.w+"/secrets"))
		w.denied(w.w + "/secrets")
		w.denied(w.w + "/secrets/deep/f")
		// Deny patterns also hold for a file that is granted by name.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + "/a/x.key"}, {Path: w.w + "/a/b/f"}}, Deny: []string{"*.key"}}, nil)
		w.denied(w.w + "/a/x.key")
		w.reads(w.w+"/a/b/f", "inside")
	})
}

func TestGrantByALink(t *testing.T) {
	// The path that was granted is a name for what it was when the jail was
	// made, as /tmp is on macOS.
	each(t, func(w *world) {
		w.link(w.dir, "alias")
		w.link("alias/w", "ws")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.dir + "/ws", Write: true}}}, nil)
		require.Equal(w, []string{"rw " + w.w}, w.jail.Grants())
		for _, p := range []string{"/ws/a/b/f", "/alias/w/a/b/f", "/w/a/b/f", "/alias/ws/a/b/f", "/ws/../ws/a/b/f", "/ws/../w/a/b/f"} {
			w.reads(w.dir+p, "inside")
		}
		for _, p := range []string{"/ws/..", "/alias", "/alias/out/secret", "/ws/../out/secret"} {
			w.denied(w.dir + p)
		}
		require.NoError(w, os.Remove(w.dir+"/ws"))
		w.link("out", "ws")
		w.reads(w.dir+"/ws/a/b/f", "inside")
		w.fails(w.dir+"/ws/secret", syscall.ENOENT)
		w.puts(w.dir + "/ws/new")
		w.untouched()
	})
}

func TestGrantRoot(t *testing.T) {
	each(t, func(w *world) {
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: "/"}}, Deny: []string{w.out}}, nil)
		w.reads(w.w+"/a/b/f", "inside")
		w.reads(w.w+"/../../../../../../../../../.."+w.w+"/a/b/f", "inside")
		w.denied(w.out + "/secret")
		w.denied("/.." + w.out)
		require.Equal(w, "it is granted for reading only", w.noWrite(w.w+"/x").Why)
		e, err := w.jail.Stat("/", true)
		require.NoError(w, err)
		require.Equal(w, [2]any{"/", byte(abi.TypeDir)}, [2]any{e.Name, e.Type})
		p, err := w.jail.RealPath("/..")
		require.NoError(w, err)
		require.Equal(w, "/", p)
	})
}

func TestNewErrors(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("loop", dir+"/loop"))
	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o644))
	for _, c := range []struct {
		name  string
		grant tool.Grant
		opts  Options
		want  string
	}{
		{"relative", tool.Grant{Paths: []tool.PathGrant{{Path: "w"}}}, Options{}, "grant w: not an absolute path"},
		{"empty", tool.Grant{Paths: []tool.PathGrant{{}}}, Options{}, "grant : not an absolute path"},
		{"missing", tool.Grant{Paths: []tool.PathGrant{{Path: dir + "/x/y"}}}, Options{}, "grant " + dir + "/x/y: " + dir + "/x: no such file or directory"},
		{"below a file", tool.Grant{Paths: []tool.PathGrant{{Path: dir + "/file/y"}}}, Options{}, "grant " + dir + "/file/y: not a directory"},
		{"loop", tool.Grant{Paths: []tool.PathGrant{{Path: dir + "/loop"}}}, Options{}, "grant " + dir + "/loop: too many levels of symbolic links"},
		{"NUL", tool.Grant{Paths: []tool.PathGrant{{Path: "/\x00"}}}, Options{}, "grant /\x00: invalid argument"},
		{"deny", tool.Grant{Deny: []string{"[a"}}, Options{}, `deny: pattern "[a": its [ has no ]`},
		{"allow", tool.Grant{AllowProtected: []string{""}}, Options{}, `allow protected: pattern "": it is blank`},
		{"private", tool.Grant{}, Options{Private: []string{"x"}}, "private path x: not an absolute path"},
		{"open", tool.Grant{}, Options{Open: []string{"x"}}, "open directory x: not an absolute path"},
		{"backend", tool.Grant{}, Options{Backend: 7}, "no such backend: 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			descriptorsBefore(t)
			c.grant.Paths = append([]tool.PathGrant{{Path: dir}}, c.grant.Paths...)
			_, err := New(&c.grant, &c.opts)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestClose(t *testing.T) {
	each(t, func(w *world) {
		f, err := w.jail.Open(w.w + "/a/b/f")
		require.NoError(w, err)
		tg, err := w.jail.Target(w.w+"/x", true)
		require.NoError(w, err)
		require.NoError(w, w.jail.Close())
		require.NoError(w, w.jail.Close())
		w.fails(w.w+"/a/b/f", syscall.EBADF)
		_, err = w.jail.Target(w.w+"/x", true)
		w.isErrno(w.w+"/x", err, syscall.EBADF)
		// What is open stays open.
		_, err = f.Read(make([]byte, 1))
		require.NoError(w, err)
		require.NoError(w, f.Close())
		_, err = tg.Dir.Lstat("a")
		require.NoError(w, err)
		require.NoError(w, tg.Close())
		_, err = tg.Dir.Lstat("a")
		require.ErrorIs(w, err, syscall.EBADF)
	})
}

func TestDeniedError(t *testing.T) {
	err := error(&DeniedError{Path: "/x", Why: "it is outside the grants", Ask: "--grant ro:/x"})
	require.EqualError(t, err, "/x: denied: it is outside the grants; allow it with --grant ro:/x")
	for ask, write := range map[string]string{
		"": "", "--grant ro:/x": "--grant rw:/x", "--grant 'ro:/a b'": "--grant 'rw:/a b'", "--grant rw:/ro:/x": "--grant rw:/ro:/x",
		"--grant ro:/ro:/x": "--grant rw:/ro:/x", "--allow-protected '/ro:x'": "--allow-protected '/ro:x'",
	} {
		require.Equal(t, write, (&DeniedError{Path: "/x", Why: "no", Ask: ask}).AskToWrite())
	}
	require.EqualError(t, &DeniedError{Path: "/x", Why: "no"}, "/x: denied: no")
	require.False(t, errors.Is(err, os.ErrNotExist))
}

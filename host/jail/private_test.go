//go:build linux || darwin

package jail

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

// TestHome is a workspace that is the user's home, with the host's own
// directories in it.
func TestHome(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/.cache/ohhost/code", "native")
		w.write("w/.cache/other/x", "other")
		w.write("w/.config/ohhost/config.toml", "conf")
		w.write("w/.local/state/ohhost/sessions/s1/outputs/o.txt", "spilled")
		w.write("w/.local/state/ohhost/sessions/s1/undo", "state")
		w.write("w/.local/state/ohhost/sessions/s2/outputs/o.txt", "of another")
		w.link(".cache/ohhost", "w/in")
		w.link("/", "w/top")
		w.link(".cache", "w/c")
		state := w.w + "/.local/state/ohhost"
		opts := &Options{
			Private: []string{w.w + "/.cache/ohhost", w.w + "/.config/ohhost", state},
			Open:    []string{state + "/sessions/s1/outputs"},
		}
		w.grant(&tool.Grant{
			Paths:          []tool.PathGrant{{Path: w.w, Write: true}, {Path: w.w + "/.cache/ohhost", Write: true}, {Path: w.w + "/.config/ohhost/config.toml"}},
			AllowProtected: []string{"**"},
		}, opts)
		for _, p := range []string{
			"/.cache/ohhost", "/.cache/ohhost/code", "/.cache/ohhost/new", "/.cache/OhHost/code", "/.CACHE/ohhost/code", "/in", "/in/code", "/c/ohhost/code",
			"/top" + w.w + "/.cache/ohhost/code", "/.cache/ohhost/../ohhost/code", "/.config/ohhost/config.toml", "/.config/ohhost/missing",
			"/.local/state/ohhost", "/.local/state/ohhost/sessions", "/.local/state/ohhost/sessions/s1", "/.local/state/ohhost/sessions/s1/undo",
			"/.local/state/ohhost/sessions/s2/outputs/o.txt", "/.local/state/ohhost/sessions/s1/outputs/../undo", "/.local/state/ohhost/sessions/s1/outputs/..",
			"/.local/state/ohhost/sessions/missing",
		} {
			d := w.denied(w.w + p)
			require.Equal(w, DeniedError{Path: w.w + p, Why: "it belongs to the host itself"}, *d)
		}
		// What leads there can be seen, but not be replaced, moved or removed.
		for _, p := range []string{"/.cache", "/.config", "/.local", "/.local/state", "/.CACHE"} {
			for _, follow := range []bool{true, false} {
				_, err := w.jail.Target(w.w+p, follow)
				w.isDenied(w.w+p, err)
			}
		}
		require.Equal(w, []string{"other"}, w.names(w.w+"/.cache"))
		require.Empty(w, w.names(w.w+"/.config"))
		require.Empty(w, w.names(w.w+"/.local/state"))
		list, err := w.jail.List(w.Context(), w.w, true, 0)
		require.NoError(w, err)
		for _, e := range list {
			if e.Name == "in" {
				require.Equal(w, byte(0), e.Target)
			}
		}
		// All else is the workspace.
		w.reads(w.w+"/.cache/other/x", "other")
		w.puts(w.w + "/.cache/other/y")
		w.puts(w.w + "/.cache/ohhost2")
		w.puts(w.w + "/.config/x")
		// This session's outputs can be read, and no more than that.
		out := state + "/sessions/s1/outputs"
		w.reads(out+"/o.txt", "spilled")
		w.reads(out+"/../outputs/o.txt", "spilled")
		require.Equal(w, []string{"o.txt"}, w.names(out))
		w.noWrite(out + "/o.txt")
		w.noWrite(out + "/new")
		w.noWrite(out)
		w.link(out+"/o.txt", "w/spill")
		w.reads(w.w+"/spill", "spilled")
	})
}

func TestOpenWithoutAnyGrant(t *testing.T) {
	each(t, func(w *world) {
		w.write("state/s1/outputs/o.txt", "spilled")
		w.write("state/s1/undo", "state")
		w.link("../undo", "state/s1/outputs/l")
		w.grant(&tool.Grant{}, &Options{Private: []string{w.dir + "/state"}, Open: []string{w.dir + "/state/s1/outputs"}})
		require.Empty(w, w.jail.Grants())
		w.reads(w.dir+"/state/s1/outputs/o.txt", "spilled")
		w.noWrite(w.dir + "/state/s1/outputs/o.txt")
		w.denied(w.dir + "/state/s1/undo")
		w.denied(w.dir + "/state/s1/outputs/l")
		w.denied(w.w + "/a/b/f")
	})
}

func TestPrivateThroughLinks(t *testing.T) {
	// ~/.cache is a link: its target is private, and the link cannot be
	// exchanged for one that leads elsewhere.
	each(t, func(w *world) {
		w.write("w/disk/cache/ohhost/code", "native")
		w.link("disk/cache", "w/.cache")
		w.link("elsewhere", "w/other")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, &Options{Private: []string{w.w + "/.cache/ohhost"}})
		for _, p := range []string{"/.cache/ohhost/code", "/disk/cache/ohhost/code", "/disk/cache/ohhost", "/disk/cache/ohhost/new"} {
			w.denied(w.w + p)
		}
		for _, p := range []string{"/.cache", "/disk", "/disk/cache"} {
			_, err := w.jail.Target(w.w+p, false)
			w.isDenied(w.w+p, err)
		}
		w.puts(w.w + "/.cache/x")
		require.Equal(w, []string{"x"}, w.names(w.w+"/disk/cache"))
	})
}

func TestPrivateLinkIsMoved(t *testing.T) {
	// Where the link on the way leads elsewhere by now, the host's next file
	// would be there.
	each(t, func(w *world) {
		w.mkdir("w/disk/ohhost")
		w.mkdir("w/other/ohhost")
		w.link("disk", "w/.cache")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, &Options{Private: []string{w.w + "/.cache/ohhost"}})
		require.NoError(w, os.Remove(w.w+"/.cache"))
		w.link("other", "w/.cache")
		for _, p := range []string{"/.cache/ohhost/new", "/.cache/ohhost", "/.cache"} {
			require.Equal(w, "it belongs to the host itself", w.noWrite(w.w+p).Why)
		}
		w.puts(w.w + "/.cache/x")
	})
}

func TestPrivateFile(t *testing.T) {
	// The host's own program, in a directory that others use: only the file and
	// the names that lead to it are closed.
	each(t, func(w *world) {
		w.write("w/go/bin/ohhost", "program")
		w.write("w/go/bin/gopls", "another")
		w.link("bin/ohhost", "w/go/link")
		for _, paths := range [][]tool.PathGrant{
			{{Path: w.w, Write: true}},
			{{Path: w.w + "/go/bin", Write: true}, {Path: w.w + "/go/bin/ohhost", Write: true}, {Path: w.w, Write: true}},
		} {
			w.grant(&tool.Grant{Paths: paths}, &Options{Private: []string{w.w + "/go/bin/ohhost"}})
			for _, p := range []string{"/go/bin/ohhost", "/go/bin/OHHOST", "/go/bin/ohhost/x", "/go/link", "/go/bin/../bin/ohhost"} {
				w.denied(w.w + p)
			}
			for _, p := range []string{"/go", "/go/bin", "/go/bin/ohhost"} {
				_, err := w.jail.Target(w.w+p, false)
				w.isDenied(w.w+p, err)
			}
			w.reads(w.w+"/go/bin/gopls", "another")
			require.Equal(w, []string{"gopls"}, w.names(w.w+"/go/bin"))
			for _, p := range []string{"/go/bin/new", "/go/bin/ohhost2", "/go/bin/ohhost.go", "/go/new", "/new"} {
				w.puts(w.w + p)
				require.NoError(w, os.Remove(w.w+p))
			}
			tg, err := w.jail.Target(w.w+"/go/bin/d", false)
			require.NoError(w, err)
			require.NoError(w, tg.Dir.Mkdir("d", 0o755))
			require.NoError(w, tg.Dir.Rmdir("d"))
			require.NoError(w, tg.Close())
			require.Empty(w, *w.jail.pending.Load())
		}
		// Only the directory is granted, or only the file.
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + "/go/bin", Write: true}}}, &Options{Private: []string{w.w + "/go/bin/ohhost"}})
		w.denied(w.w + "/go/bin/ohhost")
		w.puts(w.w + "/go/bin/new")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w + "/go/bin/ohhost", Write: true}}}, &Options{Private: []string{w.w + "/go/bin/ohhost"}})
		w.denied(w.w + "/go/bin/ohhost")
	})
}

func TestPrivateOutOfReach(t *testing.T) {
	// A home that cannot be entered, or that is none, closes what it names.
	each(t, func(w *world) {
		w.link("loop", "w/loop")
		w.link("locked", "w/home")
		w.link("a/b/f", "w/file")
		w.mkdir("w/locked")
		private := []string{
			w.w + "/home/.cache/ohhost", w.w + "/file/.cache", w.w + "/a/b/f", w.w + "/loop/x", w.w + "/missing/../up/x", "/dev/null/.cache/ohhost",
			w.w + "/" + strings.Repeat("n", 300),
		}
		asAnother(w, w.w+"/locked", func() {
			_, err := os.Lstat(w.w + "/locked/.cache")
			require.ErrorIs(w, err, os.ErrPermission)
			w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, &Options{Private: private})
		})
		require.NoError(w, os.Remove(w.w+"/loop"))
		require.NoError(w, os.Remove(w.w+"/a/b/f"))
		for _, d := range []string{"w/loop/x", "w/a/b/f/.cache", "w/locked/.cache/ohhost", "w/up/x"} {
			w.mkdir(d)
		}
		for _, p := range []string{
			"/home/.cache/ohhost", "/locked/.cache/ohhost", "/locked/.cache/ohhost/x", "/file/.cache", "/a/b/f/.cache", "/a/b/f/.cache/x", "/a/b/f", "/loop/x",
			"/loop/x/y", "/up/x",
		} {
			w.denied(w.w + p)
		}
		for _, p := range []string{"/locked", "/locked/.cache", "/home"} {
			_, err := w.jail.Target(w.w+p, false)
			w.isDenied(w.w+p, err)
		}
		w.puts(w.w + "/locked/.cache/other")
		w.puts(w.w + "/loop/y")
		w.puts(w.w + "/up/y")
	})
}

func TestPrivateAppears(t *testing.T) {
	each(t, func(w *world) {
		opts := &Options{
			Private: []string{w.w + "/.cache/ohhost", w.w + "/.state/ohhost"},
			Open:    []string{w.w + "/.state/ohhost/s/outputs"},
		}
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w, Write: true}}}, opts)
		out := w.w + "/.state/ohhost/s/outputs"
		w.denied(w.w + "/.cache/ohhost")
		w.denied(w.w + "/.cache/ohhost/x")
		w.noWrite(w.w + "/.cache")
		w.noWrite(w.w + "/.state")
		w.fails(out, syscall.ENOENT)
		w.noWrite(out)

		// Made in a place that nobody could know.
		w.link("disk", "w/.cache")
		w.write("w/disk/ohhost/code", "native")
		for _, p := range []string{"/.cache/ohhost", "/.cache/ohhost/code", "/disk/ohhost", "/disk/ohhost/code", "/disk/ohhost/new"} {
			w.denied(w.w + p)
		}
		w.puts(w.w + "/disk/x")
		w.write("w/.state/ohhost/s/outputs/o.txt", "spilled")
		w.reads(out+"/o.txt", "spilled")
		w.noWrite(out + "/o.txt")
		w.denied(w.w + "/.state/ohhost/s")
		require.Empty(w, *w.jail.pending.Load())
	})
}

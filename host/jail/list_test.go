//go:build linux || darwin

package jail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

func TestList(t *testing.T) {
	each(t, func(w *world) {
		when := time.Unix(1700000000, 123456789)
		w.write("w/d/file", "text")
		require.NoError(w, os.Chmod(w.w+"/d/file", 0o751|os.ModeSetuid))
		require.NoError(w, os.Chtimes(w.w+"/d/file", when, when))
		w.mkdir("w/d/dir")
		w.link("file", "w/d/to-file")
		w.link("../a", "w/d/to-dir")
		w.link("to-dir/b/f", "w/d/to-deep")
		w.link("missing", "w/d/dangling")
		w.link("loop", "w/d/loop")
		w.link("../../out/secret", "w/d/outside")
		w.link("/etc", "w/d/etc")
		w.link("file/", "w/d/not-a-dir")
		for _, follow := range []bool{false, true} {
			list, err := w.jail.List(w.Context(), w.w+"/d", follow, 0)
			require.NoError(w, err)
			got := map[string][2]byte{}
			for _, e := range list {
				got[e.Name] = [2]byte{e.Type, e.Target}
			}
			target := func(typ byte) [2]byte {
				if !follow {
					typ = abi.TypeNone
				}
				return [2]byte{abi.TypeLink, typ}
			}
			require.Equal(w, map[string][2]byte{
				"file": {abi.TypeFile, abi.TypeFile}, "dir": {abi.TypeDir, abi.TypeDir},
				"to-file": target(abi.TypeFile), "to-dir": target(abi.TypeDir), "to-deep": target(abi.TypeFile),
				"dangling": target(0), "loop": target(0), "outside": target(0), "etc": target(0), "not-a-dir": target(0),
			}, got)
			i := slices.IndexFunc(list, func(e abi.Entry) bool { return e.Name == "file" })
			want := abi.Entry{Name: "file", Type: abi.TypeFile, Target: abi.TypeFile, Mode: 0o4751, Size: 4, MTime: when.UnixNano()}
			require.Equal(w, want, list[i])
			st, err := w.jail.Stat(w.w+"/d/to-file", true)
			require.NoError(w, err)
			want.Name = "to-file"
			require.Equal(w, want, st)
		}
		_, err := w.jail.List(w.Context(), w.w+"/a/b/f", true, 0)
		w.isErrno(w.w+"/a/b/f", err, syscall.ENOTDIR)
	})
}

func TestListMax(t *testing.T) {
	each(t, func(w *world) {
		dir := w.mkdir("w/many")
		for i := range 1500 { // more than one batch
			require.NoError(w, os.Symlink("x", fmt.Sprintf("%s/%d", dir, i)))
		}
		w.write("w/many/x.key", "")
		w.grant(&tool.Grant{Paths: []tool.PathGrant{{Path: w.w}}, Deny: []string{"*.key"}}, nil)
		for max, want := range map[int]int{0: 1500, 1500: 1500, 1501: 1500, 1499: -1, 1: -1} {
			list, err := w.jail.List(w.Context(), dir, false, max)
			if want < 0 {
				w.isErrno(dir, err, ErrTooMany)
				require.Nil(w, list)
				continue
			}
			require.NoError(w, err)
			require.Len(w, list, want)
		}
	})
}

// TestListSorted: byte by byte, whatever order the file system has.
func TestListSorted(t *testing.T) {
	each(t, func(w *world) {
		want := []string{" ", "-", ".x", "A", "B", "a", "a.b", "aa", "b", "é", "\U0001f600"}
		for i := range want {
			w.write("w/d/"+want[(i*7)%len(want)], "")
		}
		list, err := w.jail.List(w.Context(), w.w+"/d", false, 0)
		require.NoError(w, err)
		var names []string
		for _, e := range list {
			names = append(names, e.Name)
		}
		require.Equal(w, want, names)
	})
}

// TestF13ListStops: a listing ends with its context.
func TestF13ListStops(t *testing.T) {
	each(t, func(w *world) {
		w.write("w/d/f", "")
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(w.Context())
		cancel(why)
		list, err := w.jail.List(ctx, w.w+"/d", false, 0)
		require.Equal(w, context.Canceled, err)
		require.Nil(w, list)
	})
}

func TestStat(t *testing.T) {
	each(t, func(w *world) {
		w.link("a/b/f", "w/l")
		f, err := w.jail.Open(w.w + "/l")
		require.NoError(w, err)
		require.Equal(w, w.w+"/a/b/f", path.Clean(f.Name()))
		require.NoError(w, f.Close())
		for p, want := range map[string][3]any{
			"":             {"w", byte(abi.TypeDir), byte(abi.TypeDir)},
			"/a/":          {"a", byte(abi.TypeDir), byte(abi.TypeDir)},
			"/a/b/f":       {"f", byte(abi.TypeFile), byte(abi.TypeFile)},
			"/a//b/./f":    {"f", byte(abi.TypeFile), byte(abi.TypeFile)},
			"/a/b/../b/..": {"a", byte(abi.TypeDir), byte(abi.TypeDir)},
			"/l":           {"l", byte(abi.TypeFile), byte(abi.TypeFile)},
		} {
			e, err := w.jail.Stat(w.w+p, true)
			require.NoError(w, err)
			require.Equal(w, want, [3]any{e.Name, e.Type, e.Target}, p)
		}
		_, err = w.jail.Readlink(w.w + "/a")
		w.isErrno(w.w+"/a", err, syscall.EINVAL)
		_, err = w.jail.Readlink(w.w + "/missing")
		w.isErrno(w.w+"/missing", err, syscall.ENOENT)
	})
}

func TestPermissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may open everything")
	}
	each(t, func(w *world) {
		require.NoError(w, os.Chmod(w.w+"/a/b/f", 0))
		_, err := w.jail.Open(w.w + "/a/b/f")
		w.isErrno(w.w+"/a/b/f", err, syscall.EACCES)
		require.NoError(w, os.Chmod(w.w+"/a", 0))
		defer os.Chmod(w.w+"/a", 0o755)
		w.fails(w.w+"/a/b/f", syscall.EACCES)
	})
}

func TestDeepAndLong(t *testing.T) {
	// Deeper than PATH_MAX, reached through links; and ".." in great number.
	each(t, func(w *world) {
		name := strings.Repeat("d", 200)
		require.NoError(w, os.Chdir(w.w))
		defer os.Chdir("/")
		for i := range 30 {
			require.NoError(w, os.Mkdir(name, 0o755))
			require.NoError(w, os.Chdir(name))
			if i == 14 {
				require.NoError(w, os.Symlink(strings.Repeat(name+"/", 15), "rest"))
			}
		}
		require.NoError(w, os.WriteFile("f", []byte("deep"), 0o644))
		require.NoError(w, os.Chdir("/"))
		p := w.w + "/" + strings.Repeat(name+"/", 15) + "rest/f"
		w.reads(p, "deep")
		real, err := w.jail.RealPath(p)
		require.NoError(w, err)
		require.Equal(w, w.w+"/"+strings.Repeat(name+"/", 30)+"f", real)

		w.reads(w.w+strings.Repeat("/a/b/../..", 300)+"/a/b/f", "inside")
		start := time.Now()
		for i := range 40 {
			w.link(strings.Repeat("a/../", 600)+fmt.Sprintf("u%d", i+1), fmt.Sprintf("w/u%d", i))
		}
		_, err = w.jail.Open(w.w + "/u0")
		require.Error(w, err)
		require.Less(w, time.Since(start), 20*time.Second)
	})
}

func TestConcurrentUse(t *testing.T) {
	each(t, func(w *world) {
		w.link("a", "w/l")
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				for k := range 50 {
					f, err := w.jail.Open(w.w + "/l/b/f")
					if err != nil {
						panic(err)
					}
					f.Close()
					t, err := w.jail.Target(fmt.Sprintf("%s/l/b/../new-%d-%d", w.w, i, k), true)
					if err != nil {
						panic(err)
					}
					f, err = t.Dir.Open(t.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
					if err != nil {
						panic(err)
					}
					f.Close()
					t.Close()
					if _, err := w.jail.List(w.Context(), w.w+"/l", true, 0); err != nil {
						panic(err)
					}
				}
			})
		}
		group.Wait()
		require.Len(w, w.names(w.w+"/a"), 401)
	})
}

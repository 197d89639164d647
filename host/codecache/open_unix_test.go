//go:build unix

package codecache

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const stranger = 1234

func mkdir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(path, 0o700))
	require.NoError(t, os.Chmod(path, mode))
}

func give(t *testing.T, path string, uid int) {
	t.Helper()
	asRoot(t)
	require.NoError(t, os.Lchown(path, uid, uid))
}

// ways are directories that others can change or have prepared. Each is tried as
// the cache's directory and as the key's. The path at is what is opened, below top;
// want is the error with %s for top.
var ways = []struct {
	name    string
	prepare func(t *testing.T, top string)
	at      string
	want    string // empty: it is used
}{
	{"missing", func(*testing.T, string) {}, "a/b/c", ""},
	{"private", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o700) }, "a", ""},
	{"readable", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o755) }, "a", ""},
	{"below one that is readable", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o755) }, "a/b", ""},
	{"writable by the group", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o770) }, "a",
		"%s/a: others can write to it (mode 0770): take that right away (chmod go-w), or use another directory"},
	{"writable by all", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o702) }, "a",
		"%s/a: others can write to it (mode 0702): take that right away (chmod go-w), or use another directory"},
	{"sticky", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o777|os.ModeSticky) }, "a",
		"%s/a: others can write to it (mode 0777): take that right away (chmod go-w), or use another directory"},
	{"below one writable by the group", func(t *testing.T, top string) {
		mkdir(t, top+"/a", 0o700)
		mkdir(t, top+"/a/b", 0o700)
		require.NoError(t, os.Chmod(top+"/a", 0o770))
		if privateGroup(top+"/a", os.Getegid()) {
			t.Skip("this user's group has no other members")
		}
	}, "a/b", "%s/a: others can write to it (mode 0770): take that right away (chmod go-w), or use another directory"},
	{"far below one writable by all", func(t *testing.T, top string) {
		mkdir(t, top+"/a/b/c", 0o700)
		require.NoError(t, os.Chmod(top+"/a", 0o707))
	}, "a/b/c", "%s/a: others can write to it (mode 0707): take that right away (chmod go-w), or use another directory"},
	{"below a sticky one", func(t *testing.T, top string) { mkdir(t, top+"/a", 0o777|os.ModeSticky) }, "a/b", ""},
	{"a file", func(t *testing.T, top string) {
		require.NoError(t, os.WriteFile(top+"/a", nil, 0o600))
	}, "a", "%s/a is not a directory: remove it, or use another directory"},
	{"below a file", func(t *testing.T, top string) {
		require.NoError(t, os.WriteFile(top+"/a", nil, 0o600))
	}, "a/b", "%s/a is not a directory: remove it, or use another directory"},
	{"a FIFO", func(t *testing.T, top string) {
		require.NoError(t, syscall.Mkfifo(top+"/a", 0o600))
	}, "a", "%s/a is not a directory: remove it, or use another directory"},
	{"another user's", func(t *testing.T, top string) {
		mkdir(t, top+"/a", 0o700)
		give(t, top+"/a", stranger)
	}, "a", "%s/a belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"below another user's", func(t *testing.T, top string) {
		mkdir(t, top+"/a/b", 0o700)
		give(t, top+"/a", stranger)
	}, "a/b", "%s/a belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"another user's in a sticky one", func(t *testing.T, top string) {
		mkdir(t, top+"/a", 0o777|os.ModeSticky)
		mkdir(t, top+"/a/b", 0o700)
		give(t, top+"/a/b", stranger)
	}, "a/b", "%s/a/b belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"below another user's sticky one", func(t *testing.T, top string) {
		mkdir(t, top+"/a", 0o777|os.ModeSticky)
		give(t, top+"/a", stranger)
	}, "a/b", "%s/a belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"a link of our own", func(t *testing.T, top string) {
		mkdir(t, top+"/real", 0o700)
		require.NoError(t, os.Symlink("real", top+"/a"))
	}, "a", ""},
	{"below a link of our own", func(t *testing.T, top string) {
		mkdir(t, top+"/x/real", 0o700)
		require.NoError(t, os.Symlink(top+"/x/y/../real", top+"/a"))
		mkdir(t, top+"/x/y", 0o700)
	}, "a/b", ""},
	{"a link of our own to what others can write", func(t *testing.T, top string) {
		mkdir(t, top+"/real", 0o770)
		require.NoError(t, os.Symlink("real", top+"/a"))
	}, "a", "%s/real: others can write to it (mode 0770): take that right away (chmod go-w), or use another directory"},
	{"a link of our own to below what others can write", func(t *testing.T, top string) {
		mkdir(t, top+"/x/real", 0o700)
		require.NoError(t, os.Chmod(top+"/x", 0o702))
		require.NoError(t, os.Symlink("x/real", top+"/a"))
	}, "a", "%s/x: others can write to it (mode 0702): take that right away (chmod go-w), or use another directory"},
	{"a link that another user planted", func(t *testing.T, top string) {
		mkdir(t, top+"/real", 0o700)
		mkdir(t, top+"/tmp", 0o777|os.ModeSticky)
		require.NoError(t, os.Symlink(top+"/real", top+"/tmp/a"))
		give(t, top+"/tmp/a", stranger)
	}, "tmp/a", "%s/tmp/a belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"below a link that another user planted", func(t *testing.T, top string) {
		mkdir(t, top+"/real", 0o700)
		mkdir(t, top+"/tmp", 0o777|os.ModeSticky)
		require.NoError(t, os.Symlink(top+"/real", top+"/tmp/a"))
		give(t, top+"/tmp/a", stranger)
	}, "tmp/a/b", "%s/tmp/a belongs to user 1234, not to user 0 who runs this: use another directory"},
	{"a link to itself", func(t *testing.T, top string) {
		require.NoError(t, os.Symlink("a", top+"/a"))
	}, "a", "open %s/a: too many levels of symbolic links"},
}

// TestS2SharedDirectory: a directory that others can change, or have prepared, holds
// neither the cache nor its key; and nothing is changed in it.
func TestS2SharedDirectory(t *testing.T) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			for _, use := range []string{"code cache", "key of the code cache"} {
				p := newPlace(t)
				mkdir(t, p.top, 0o700)
				w.prepare(t, p.top)
				at := filepath.Join(p.top, w.at)
				if use == "code cache" {
					p.dir = at
				} else {
					p.key = filepath.Join(at, "key")
				}
				before := tree(t, p.top)
				c, err := Open(p.dir, p.key, nil)
				if w.want != "" {
					require.EqualError(t, err, use+": "+fmt.Sprintf(w.want, p.top))
					if use == "code cache" {
						require.Equal(t, before, tree(t, p.top))
					}
					continue
				}
				require.NoError(t, err)
				require.NoError(t, c.Store("n", [][]byte{[]byte("code")}))
				parts, err := load(c, "n")
				require.NoError(t, err)
				require.Equal(t, [][]byte{[]byte("code")}, parts)
				require.NoError(t, c.Close())
				info, err := os.Stat(p.dir)
				require.NoError(t, err)
				require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
				for _, file := range []string{p.entry("n"), p.key} {
					info, err := os.Stat(file)
					require.NoError(t, err)
					require.Equal(t, os.FileMode(0o600), info.Mode())
				}
			}
		})
	}
}

// tree describes all below top.
func tree(t *testing.T, top string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.Walk(top, func(path string, info os.FileInfo, err error) error {
		all = append(all, fmt.Sprint(strings.TrimPrefix(path, top), info.Mode()))
		return err
	}))
	return all
}

// TestS2SwappedDirectory: the directory that was checked stays the cache, whatever
// is put in its place.
func TestS2SwappedDirectory(t *testing.T) {
	p := newPlace(t)
	c := p.open(t)
	require.NoError(t, c.Store("n", [][]byte{[]byte("code")}))
	require.NoError(t, os.Rename(p.dir, p.dir+".was"))
	mkdir(t, p.dir, 0o777)

	parts, err := load(c, "n")
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("code")}, parts)
	require.NoError(t, c.Store("m", nil))
	entries, err := os.ReadDir(p.dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.FileExists(t, p.dir+".was/m.entry")
}

// TestKeyRefused: a key that others could have made or know, with what to do.
func TestKeyRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, key string)
		want    string
	}{
		{"readable by the group", func(t *testing.T, key string) {
			require.NoError(t, os.Chmod(key, 0o640))
		}, "others can use it (mode 0640)"},
		{"writable by all", func(t *testing.T, key string) {
			require.NoError(t, os.Chmod(key, 0o602))
		}, "others can use it (mode 0602)"},
		{"empty", func(t *testing.T, key string) {
			require.NoError(t, os.Truncate(key, 0))
		}, "it has 0 bytes and not 32"},
		{"short", func(t *testing.T, key string) {
			require.NoError(t, os.Truncate(key, 31))
		}, "it has 31 bytes and not 32"},
		{"long", func(t *testing.T, key string) {
			require.NoError(t, os.Truncate(key, 33))
		}, "it has 33 bytes, more than 32"},
		{"another user's", func(t *testing.T, key string) {
			give(t, key, stranger)
		}, "it belongs to user 1234, not to user 0 who runs this"},
		{"a link", func(t *testing.T, key string) {
			require.NoError(t, os.Rename(key, key+".real"))
			require.NoError(t, os.Symlink(key+".real", key))
		}, "it is not a regular file"},
		{"a dangling link", func(t *testing.T, key string) {
			require.NoError(t, os.Remove(key))
			require.NoError(t, os.Symlink("nowhere", key))
		}, "it is not a regular file"},
		{"a FIFO", func(t *testing.T, key string) {
			require.NoError(t, os.Remove(key))
			require.NoError(t, syscall.Mkfifo(key, 0o600))
		}, "it is not a regular file"},
		{"a directory", func(t *testing.T, key string) {
			require.NoError(t, os.Remove(key))
			require.NoError(t, os.Mkdir(key, 0o700))
		}, "it is not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			first, err := Open(p.dir, p.key, nil)
			require.NoError(t, err)
			require.NoError(t, first.Close())
			c.prepare(t, p.key)
			_, err = Open(p.dir, p.key, nil)
			require.EqualError(t, err, "key of the code cache: "+p.key+": "+c.want+"; remove it, and a new key is made")

			require.NoError(t, os.RemoveAll(p.key))
			p.open(t)
		})
	}
}

// TestS2KeyInside: the key may not lie where the entries do, by whatever way.
func TestS2KeyInside(t *testing.T) {
	for name, key := range map[string]string{
		"beside the entries": "cache/key",
		"deeper":             "cache/a/b/key",
		"through dots":       "other/../cache/key",
		"through a link":     "link/key",
		"into the top":       "link/sub/key",
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.Symlink("cache", p.top+"/link"))
			_, err := Open(p.dir, p.top+"/"+key, nil)
			require.EqualError(t, err, "key of the code cache: "+filepath.Join(p.top, key)+" lies in the directory of the cache, "+p.dir+": name a file outside of it")
		})
	}
	t.Run("a cache below the key", func(t *testing.T) {
		p := newPlace(t)
		p.key = p.top + "/key"
		p.open(t)
	})
}

// TestDirectoriesKeepTheirMode: the directory of a key that others can read is left
// as it is (it may be shared with other programs), that of the cache is closed, but
// not before all else was in order.
func TestDirectoriesKeepTheirMode(t *testing.T) {
	p := newPlace(t)
	mkdir(t, p.dir, 0o755)
	mkdir(t, filepath.Dir(p.key), 0o755)
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	_, err := Open(p.dir, filepath.Join(p.dir, "key"), nil)
	require.Error(t, err)
	require.Equal(t, os.FileMode(0o755), mode(p.dir))
	p.open(t)
	require.Equal(t, os.FileMode(0o700), mode(p.dir))
	require.Equal(t, os.FileMode(0o755), mode(filepath.Dir(p.key)))
}

// TestUnfitEntries: what lies in an entry's place and is not a private file is
// poisoned, does not hang, and goes with the next Store.
func TestUnfitEntries(t *testing.T) {
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, entry string)
		want    string
	}{
		{"a link to itself as it was", func(t *testing.T, entry string) {
			require.NoError(t, os.Rename(entry, entry+".real"))
			require.NoError(t, os.Symlink(entry+".real", entry))
		}, "it is not a regular file"},
		{"a dangling link", func(t *testing.T, entry string) {
			require.NoError(t, os.Remove(entry))
			require.NoError(t, os.Symlink("nowhere", entry))
		}, "it is not a regular file"},
		{"a directory", func(t *testing.T, entry string) {
			require.NoError(t, os.Remove(entry))
			require.NoError(t, os.MkdirAll(entry+"/a/b", 0o700))
		}, "it is not a regular file"},
		{"a FIFO", func(t *testing.T, entry string) {
			require.NoError(t, os.Remove(entry))
			require.NoError(t, syscall.Mkfifo(entry, 0o600))
		}, "it is not a regular file"},
		{"a socket", func(t *testing.T, entry string) {
			require.NoError(t, os.Remove(entry))
			fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			require.NoError(t, err)
			defer syscall.Close(fd)
			t.Chdir(filepath.Dir(entry)) // the name of a socket is short
			require.NoError(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Base(entry)}))
		}, "it is not a regular file"},
		{"another user's", func(t *testing.T, entry string) {
			give(t, entry, stranger)
		}, "it belongs to user 1234, not to user 0 who runs this"},
		{"another user's, by a hard link", func(t *testing.T, entry string) {
			b, err := os.ReadFile(entry)
			require.NoError(t, err)
			require.NoError(t, os.Remove(entry))
			require.NoError(t, os.WriteFile(entry+".theirs", b, 0o600))
			give(t, entry+".theirs", stranger)
			require.NoError(t, os.Link(entry+".theirs", entry))
		}, "it belongs to user 1234, not to user 0 who runs this"},
		{"readable by the group", func(t *testing.T, entry string) {
			require.NoError(t, os.Chmod(entry, 0o640))
		}, "others can use it (mode 0640)"},
		{"writable by all", func(t *testing.T, entry string) {
			require.NoError(t, os.Chmod(entry, 0o602))
		}, "others can use it (mode 0602)"},
		{"closed", func(t *testing.T, entry string) {
			if os.Geteuid() == 0 {
				t.Skip("root can read every file")
			}
			require.NoError(t, os.Chmod(entry, 0))
		}, "it cannot be read"},
		{"too large", func(t *testing.T, entry string) {
			require.NoError(t, os.Truncate(entry, maxEntry+1))
		}, "it has 536870913 bytes, more than 536870912"},
		{"empty", func(t *testing.T, entry string) {
			require.NoError(t, os.Truncate(entry, 0))
		}, "it is empty, damaged or of another version"},
		{"cut to its head", func(t *testing.T, entry string) {
			require.NoError(t, os.Truncate(entry, 20))
		}, "it is cut short"},
		{"cut by a byte", func(t *testing.T, entry string) {
			info, err := os.Stat(entry)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(entry, info.Size()-1))
		}, wrongMAC},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			cache := p.open(t)
			require.NoError(t, cache.Store("n", [][]byte{[]byte("code")}))
			c.prepare(t, p.entry("n"))
			require.Equal(t, c.want, poisoned(t, cache, "n"))

			require.NoError(t, cache.Store("n", [][]byte{[]byte("anew")}))
			parts, err := load(cache, "n")
			require.NoError(t, err)
			require.Equal(t, [][]byte{[]byte("anew")}, parts)
			info, err := os.Lstat(p.entry("n"))
			require.NoError(t, err)
			require.True(t, info.Mode().IsRegular())
		})
	}
}

package codecache

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scratchPlace is a directory of the test's own for scratch directories.
func scratchPlace(t *testing.T) (parent string) {
	p := newPlace(t)
	t.Setenv("TMPDIR", p.top)
	t.Setenv("XDG_RUNTIME_DIR", "")
	return filepath.Join(p.top, scratchPrefix+userName())
}

func openScratch(t *testing.T) *Scratch {
	t.Helper()
	s, err := NewScratch()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestScratch(t *testing.T) {
	parent := scratchPlace(t)
	s := openScratch(t)
	require.Equal(t, parent, filepath.Dir(s.Path()))
	require.Regexp(t, `^[a-z2-7]{26}$`, filepath.Base(s.Path()))

	require.NoError(t, s.Write("a", []byte("1")))
	require.NoError(t, s.Write("d/e/f", []byte("2")))
	require.NoError(t, s.Write("d/g", nil))
	require.ErrorIs(t, s.Write("d/g", nil), fs.ErrExist)
	require.NoError(t, os.Symlink("/etc/passwd", s.Path()+"/link"))
	files, err := s.Files()
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"a": []byte("1"), "d/e/f": []byte("2"), "d/g": {}}, files)
	for path, mode := range map[string]os.FileMode{
		"": 0o700 | os.ModeDir, "/d": 0o700 | os.ModeDir, "/d/e": 0o700 | os.ModeDir, "/a": 0o600, "/d/e/f": 0o600,
	} {
		info, err := os.Stat(s.Path() + path)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode(), path)
	}

	require.NoError(t, s.Empty())
	files, err = s.Files()
	require.NoError(t, err)
	require.Empty(t, files)
	require.DirExists(t, s.Path()+"/d/e", "an engine may hold on to it")
	require.NoFileExists(t, s.Path()+"/link")
	require.FileExists(t, "/etc/passwd")
	require.NoError(t, s.Write("a", []byte("3")))

	require.NoError(t, s.Close())
	require.NoDirExists(t, s.Path())
	require.Empty(t, list(t, parent))
	require.NoError(t, s.Close())
}

// TestScratchStaysInside: neither a path nor a link leads Write out.
func TestScratchStaysInside(t *testing.T) {
	parent := scratchPlace(t)
	s := openScratch(t)
	for _, rel := range []string{"", ".", "..", "../x", "a/../../x", "/x", "a//x", "a/", "./x"} {
		require.EqualError(t, s.Write(rel, nil), fmt.Sprintf("scratch file %q: it must be a relative path without dots and doubled slashes", rel))
	}
	require.NoError(t, os.Symlink(parent, s.Path()+"/out"))
	require.Error(t, s.Write("out/x", nil))
	require.NoError(t, os.Symlink(filepath.Join(parent, "y"), s.Path()+"/file"))
	require.ErrorIs(t, s.Write("file", nil), fs.ErrExist)
	require.Equal(t, []string{filepath.Base(s.Path())}, list(t, parent))
}

// childScratch is a process that makes a scratch directory, prints its path and
// waits to be killed.
func childScratch([]string) error {
	s, err := NewScratch()
	if err != nil {
		return err
	}
	if err := s.Write("wazero/code", []byte("code")); err != nil {
		return err
	}
	fmt.Println(s.Path())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// TestScratchLeftover: the directory of a killed process goes with the next
// NewScratch, that of a living one stays, and so does what a link leads to.
func TestScratchLeftover(t *testing.T) {
	parent := scratchPlace(t)
	start := func() (path string, kill func()) {
		cmd := child(t, "scratch")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		path, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(path), func() {
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			in.Close()
		}
	}
	dead, kill := start()
	kill()
	require.FileExists(t, dead+"/wazero/code")

	victim := t.TempDir()
	require.NoError(t, os.WriteFile(victim+"/file", nil, 0o600))
	require.NoError(t, os.Symlink(victim, parent+"/link"))
	require.NoError(t, os.Symlink(victim, dead+"/link"))
	unlocked := func(name string, by time.Duration) {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o700))
		age(t, filepath.Join(parent, name), by)
	}
	unlocked("dead.new", 2*time.Hour)
	unlocked("starting.new", time.Minute)

	living, kill := start()
	require.NoDirExists(t, dead)
	mine := openScratch(t)
	require.ElementsMatch(t, []string{"link", "starting.new", filepath.Base(living), filepath.Base(mine.Path())}, list(t, parent))
	require.FileExists(t, living+"/wazero/code")
	require.FileExists(t, victim+"/file")
	kill()
	openScratch(t)
	require.NoDirExists(t, living)
	require.DirExists(t, mine.Path())
	require.FileExists(t, victim+"/file")
}

// TestScratchAtOnce: those who start together do not remove each other's.
func TestScratchAtOnce(t *testing.T) {
	parent := scratchPlace(t)
	got := make(chan *Scratch)
	for range 20 {
		go func() {
			s, err := NewScratch()
			if err == nil {
				err = s.Write("a", nil)
			}
			if err != nil {
				t.Error(err)
			}
			got <- s
		}()
	}
	for range 20 {
		s := <-got
		if s == nil {
			continue
		}
		require.FileExists(t, s.Path()+"/a")
		defer s.Close()
	}
	require.Len(t, list(t, parent), 20)
}

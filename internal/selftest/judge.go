package selftest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
)

// A guard is a directory that an attack must leave as it is.
type guard struct {
	dir    string
	before map[string]string
}

// guard has the world judge, in the end, whether the directory was changed.
func (w *world) guard(dir string) { w.guards = append(w.guards, guard{dir, snapshot(dir)}) }

// snapshot describes all that lies in a directory, by path: type, mode, time of
// change and content. Links are not followed.
func snapshot(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil {
			all[rel] = err.Error()
			return nil
		}
		info, err := d.Info()
		if err != nil {
			all[rel] = err.Error()
			return nil
		}
		text := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			text += " to " + to
		case info.Mode().IsRegular():
			b, _ := os.ReadFile(path)
			text += fmt.Sprintf(" %d %x", len(b), sha256.Sum256(b))
		}
		all[rel] = text
		return nil
	})
	return all
}

// judgeFiles notes what was changed in guarded directories, and whether the secret
// was brought into the workspace.
func (w *world) judgeFiles() {
	for _, g := range w.guards {
		for _, what := range differences(g.before, snapshot(g.dir)) {
			w.through("%s", filepath.Join(g.dir, what))
		}
	}
	if w.maySee {
		return
	}
	_ = filepath.WalkDir(w.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
			return nil
		}
		if b, _ := os.ReadFile(path); bytes.Contains(b, []byte(w.secret)) {
			w.through("the secret from outside is in %s", path)
		}
		return nil
	})
}

// differences says, sorted, what is new, gone and changed. A directory counts only
// where nothing below it does: something was made there and removed again.
func differences(before, after map[string]string) []string {
	var all []string
	for path, is := range after {
		switch was, ok := before[path]; {
		case !ok:
			all = append(all, path+" was made")
		case is != was && (is[0] != 'd' || was[0] != 'd'):
			all = append(all, path+" was changed")
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			all = append(all, path+" was removed")
		}
	}
	if len(all) == 0 {
		for path, is := range after {
			if is != before[path] {
				all = append(all, path+" was changed")
			}
		}
	}
	slices.Sort(all)
	return all
}

// leaks says what of the secrets outside is in a reply to a step; empty if nothing.
func (w *world) leaks(s *step, r reply) string {
	has := func(text string) bool { return bytes.Contains(r.data, []byte(text)) }
	size := fmt.Sprintf(`"size":%d`, w.size)
	switch {
	case has(w.secret):
		return "the content of a file outside"
	case has(w.hidden):
		return "the list of a directory outside"
	case has(size+",") || has(size+"}") || s.op == opStat && statSize(r.data) == int64(w.size) || s.op == opInvoke && slices.Contains(listedSizes(r), int64(w.size)):
		return "the size of a file outside"
	}
	return ""
}

// statSize is the size in a filestat of WASI preview 1, which is its fifth field.
func statSize(b []byte) int64 {
	if len(b) < 40 {
		return -1
	}
	return int64(binary.LittleEndian.Uint64(b[32:]))
}

// listedSizes are the sizes in the answer to a list; none where it is another's.
func listedSizes(r reply) (sizes []int64) {
	a := answerOf(r)
	if len(a.attachments) != 1 {
		return nil
	}
	entries, err := abi.DecodeEntries(a.attachments[0])
	if err != nil {
		return nil
	}
	for i := range entries {
		sizes = append(sizes, entries[i].Size)
	}
	return sizes
}

// resources are what this process holds.
type resources struct {
	goroutines int
	files      map[string]string
}

func takeResources() resources { return resources{runtime.NumGoroutine(), openFiles()} }

// openFiles lists the descriptors of this process with what they lead to, but for
// those of Go's own poller; nil where nobody tells.
func openFiles() map[string]string {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		open := map[string]string{}
		for _, e := range entries {
			to, err := os.Readlink(filepath.Join(dir, e.Name()))
			if err == nil && !strings.HasPrefix(to, "anon_inode:[event") && !strings.HasPrefix(to, "/proc/") {
				open[e.Name()] = to
			}
		}
		return open
	}
	return nil
}

// judgeLeaks notes what the attack has left in this process, after a while for
// what is still ending.
func (w *world) judgeLeaks(ctx context.Context, before resources) {
	var now resources
	for range 100 {
		now = takeResources()
		if len(now.files) <= len(before.files) && now.goroutines <= before.goroutines {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	for fd, to := range now.files {
		if before.files[fd] != to && len(now.files) > len(before.files) {
			w.through("an open file was left behind: %s", to)
		}
	}
	if now.goroutines > before.goroutines {
		w.through("%s left behind", counted(now.goroutines-before.goroutines, "goroutine"))
	}
}

// interpreted reports whether guests run on wazero's interpreter: in binaries built
// with -race.
func interpreted() bool { return host.Interpreted }

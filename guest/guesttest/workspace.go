package guesttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Build makes files below root: first all of them, then modes and times.
func Build(t testing.TB, root string, files []File) {
	t.Helper()
	for i := range files {
		require.NoError(t, files[i].make(root))
	}
	for i := range files {
		require.NoError(t, files[i].attributes(root))
	}
}

func (f *File) make(root string) error {
	p := filepath.Join(root, f.name())
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return err
	}
	switch {
	case f.Dir:
		return os.MkdirAll(p, 0o777)
	case f.Link != nil:
		return os.Symlink(strings.ReplaceAll(*f.Link, Placeholder, root), p)
	case f.FIFO:
		return mkfifo(p)
	case f.HardLink != "":
		return os.Link(filepath.Join(root, f.HardLink), p)
	}
	b, err := f.content()
	if err != nil {
		return err
	}
	return os.WriteFile(p, b, 0o666)
}

func (f *File) attributes(root string) error {
	p := filepath.Join(root, f.name())
	if f.Owner != nil {
		if err := os.Chown(p, *f.Owner, *f.Owner); err != nil {
			return err
		}
	}
	if f.Mode != "" {
		bits, err := strconv.ParseUint(strings.TrimPrefix(f.Mode, "0o"), 8, 32)
		if err != nil {
			return err
		}
		if err := syscall.Chmod(p, uint32(bits)); err != nil { // os.Chmod has its own numbers for setuid
			return err
		}
	}
	if f.MTime != nil && f.Link == nil {
		when := time.Unix(*f.MTime, 0)
		return os.Chtimes(p, when, when)
	}
	return nil
}

// found is what a workspace holds at a path.
type found struct {
	kind  string // "file", "link", "fifo", "dir" (an empty one)
	bytes []byte
	link  string
	mode  uint32
	owner int
}

// snapshot reads every file, link, FIFO and empty folder below root.
func snapshot(root string) (map[string]found, error) {
	out := map[string]found{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		fi, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			out[rel] = found{kind: "link", link: to}
			return err
		case fi.IsDir():
			if es, err := os.ReadDir(p); err != nil || len(es) > 0 {
				return err
			}
			out[rel] = found{kind: "dir"}
		case !fi.Mode().IsRegular():
			out[rel] = found{kind: "fifo"}
		default:
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			st := fi.Sys().(*syscall.Stat_t)
			out[rel] = found{kind: "file", bytes: b, mode: uint32(st.Mode) & 0o7777, owner: int(st.Uid)}
		}
		return nil
	})
	return out, err
}

// checkAfter compares the workspace with a case's "after" and returns the
// differences.
func checkAfter(root string, after json.RawMessage) ([]string, error) {
	if len(after) == 0 || string(after) == "false" || string(after) == "null" {
		return nil, nil
	}
	var files []File
	if err := json.Unmarshal(after, &files); err != nil {
		return nil, err
	}
	have, err := snapshot(root)
	if err != nil {
		return nil, err
	}
	want := map[string]*File{}
	for i := range files {
		want[files[i].name()] = &files[i]
	}
	var diffs []string
	for p, h := range have {
		w, ok := want[p]
		if !ok {
			diffs = append(diffs, fmt.Sprintf("after: %s should not be there", p))
			continue
		}
		if d := h.differs(w, root); d != "" {
			diffs = append(diffs, fmt.Sprintf("after: %s: %s", p, d))
		}
	}
	for p := range want {
		if _, ok := have[p]; !ok {
			diffs = append(diffs, fmt.Sprintf("after: %s is missing", p))
		}
	}
	slices.Sort(diffs)
	return diffs, nil
}

// differs says how h is not what w expects, or "".
func (h found) differs(w *File, root string) string {
	kind := "file"
	switch {
	case w.Dir:
		kind = "dir"
	case w.FIFO:
		kind = "fifo"
	case w.Link != nil:
		kind = "link"
	}
	switch {
	case h.kind != kind:
		return fmt.Sprintf("want a %s, got a %s", kind, h.kind)
	case kind == "link" && h.link != strings.ReplaceAll(*w.Link, Placeholder, root):
		return fmt.Sprintf("want a link to %q, got one to %q", *w.Link, h.link)
	case kind != "file":
		return ""
	}
	if w.SHA256 != "" {
		if sum := sha256.Sum256(h.bytes); hex.EncodeToString(sum[:]) != w.SHA256 {
			return fmt.Sprintf("want %d bytes with sha256 %s, got %d other ones", w.Size, w.SHA256, len(h.bytes))
		}
	} else if b, err := w.content(); err != nil || !bytes.Equal(b, h.bytes) {
		return fmt.Sprintf("want %q, got %q", b, h.bytes)
	}
	if w.Mode != "" {
		if bits, err := strconv.ParseUint(strings.TrimPrefix(w.Mode, "0o"), 8, 32); err != nil || uint32(bits) != h.mode {
			return fmt.Sprintf("want mode %s, got %#o", w.Mode, h.mode)
		}
	}
	if w.Owner != nil && *w.Owner != h.owner {
		return fmt.Sprintf("want owner %d, got %d", *w.Owner, h.owner)
	}
	return ""
}

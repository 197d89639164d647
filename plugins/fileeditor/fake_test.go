package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/abi"
)

// A fakeHost is the files service in small, for one granted directory: UTF-8
// only, no encodings and no transactions. What the real service does is tested
// with it; here it lets the tool's own rules be tested without it.
type fakeHost struct {
	root    string // the grant
	history map[string][]undoEntry
	blobs   [][]byte
	lists   int                    // how many directories were listed
	dirs    map[string][]abi.Entry // directories that are made up; nil has too many entries
	before  func()                 // called before each apply, to change files in between
}

type undoEntry struct{ back, wrote []byte }

func (h *fakeHost) Log(int, string) {}
func (h *fakeHost) Progress(string) {}

type fakeRequest struct {
	Service, Op    string
	Follow, Decode bool
	Max            int64
	Blob           int
	Changes        []struct {
		Op, Expect string
		Path       int
		Data, Undo *int
		Splices    [][3]int
		Max        int64
		UndoNew    bool `json:"undo_new"`
	}
}

// kindError is a refusal of the service.
type kindError struct {
	kind string
	size int64
}

func (e *kindError) Error() string { return e.kind }

func (h *fakeHost) Invoke(frame []byte) ([]byte, int64) {
	f, err := abi.DecodeFrame(frame)
	var r fakeRequest
	if err != nil || json.Unmarshal(f.Header, &r) != nil || r.Service != abi.ServiceFiles {
		return nil, abi.RefusedMalformed
	}
	header, attachments, err := h.answer(&r, f.Attachments)
	if err != nil {
		e := map[string]any{"kind": abi.ErrOS, "message": err.Error()}
		var errno syscall.Errno
		var kind *kindError
		switch {
		case errors.As(err, &kind):
			e["kind"], e["size"] = kind.kind, kind.size
		case errors.As(err, &errno):
			s := errno.Error()
			e["errno"], e["name"], e["message"] = int(errno), unix.ErrnoName(errno), strings.ToUpper(s[:1])+s[1:]
		}
		header, attachments = map[string]any{"error": e}, nil
	}
	b, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	answer, err := (&abi.Frame{Header: b, Attachments: attachments}).Append(nil)
	if err != nil {
		panic(err)
	}
	return answer, int64(len(answer))
}

func (h *fakeHost) answer(r *fakeRequest, attachments [][]byte) (any, [][]byte, error) {
	switch r.Op {
	case "apply":
		return h.apply(r, attachments)
	case "text":
		return struct{}{}, [][]byte{h.blobs[r.Blob]}, nil
	}
	path := string(attachments[0])
	if entries, ok := h.dirs[path]; ok {
		return h.madeUp(r.Op, entries)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, nil, err
	}
	if !h.granted(real) {
		return nil, nil, &kindError{kind: abi.ErrDenied}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	switch r.Op {
	case "stat":
		return map[string]any{"type": abi.TypeName(typeOf(info)), "size": info.Size()}, nil, nil
	case "realpath":
		return struct{}{}, [][]byte{[]byte(real)}, nil
	case "list":
		h.lists++
		entries, err := os.ReadDir(path)
		var b []byte
		for _, entry := range entries {
			info, _ := entry.Info()
			e := abi.Entry{Name: entry.Name(), Type: typeOf(info), Target: typeOf(info)}
			if e.Type == abi.TypeLink {
				e.Target = abi.TypeNone
				full := filepath.Join(path, e.Name)
				if to, err := filepath.EvalSymlinks(full); err == nil && h.granted(to) {
					info, _ := os.Stat(full)
					e.Target = typeOf(info)
				}
			}
			b = abi.AppendEntry(b, &e)
		}
		return struct{}{}, [][]byte{b}, err
	}
	if typeOf(info) != abi.TypeFile {
		return nil, nil, &kindError{kind: abi.ErrNotRegular}
	}
	if r.Max > 0 && info.Size() > r.Max {
		return nil, nil, &kindError{kind: abi.ErrTooLarge, size: info.Size()}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	header := map[string]any{"size": len(raw), "digest": digest(raw)}
	if !r.Decode {
		return header, [][]byte{raw}, nil
	}
	head := raw[:min(len(raw), 512)]
	if !utf8.Valid(raw) {
		at := 0
		for at < len(raw) {
			c, n := utf8.DecodeRune(raw[at:])
			if c == utf8.RuneError && n == 1 {
				break
			}
			at += n
		}
		header["undecodable"] = "'utf-8' codec can't decode byte 0x" + hex.EncodeToString(raw[at:at+1]) + " in position " +
			string(json.RawMessage(mustJSON(at))) + ": invalid start byte"
		return header, [][]byte{nil, head}, nil
	}
	text := decode(raw)
	header["encoding"], header["certain"] = "utf-8", true
	header["control"] = bytes.ContainsFunc(text, func(c rune) bool { return c < 9 || c > 13 && c < 32 || c == 127 })
	return header, [][]byte{text, head}, nil
}

// madeUp answers about a directory that is not there.
func (h *fakeHost) madeUp(op string, entries []abi.Entry) (any, [][]byte, error) {
	if op == "stat" {
		return map[string]any{"type": "dir"}, nil, nil
	}
	h.lists++
	if entries == nil {
		return nil, nil, &kindError{kind: abi.ErrInvalid}
	}
	entries = slices.SortedFunc(slices.Values(entries), func(a, b abi.Entry) int { return strings.Compare(a.Name, b.Name) })
	var b []byte
	for i := range entries {
		b = abi.AppendEntry(b, &entries[i])
	}
	return struct{}{}, [][]byte{b}, nil
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (h *fakeHost) granted(path string) bool {
	return path == h.root || strings.HasPrefix(path, h.root+"/")
}

func typeOf(info fs.FileInfo) byte {
	switch {
	case info.Mode().IsRegular():
		return abi.TypeFile
	case info.IsDir():
		return abi.TypeDir
	case info.Mode()&fs.ModeSymlink != 0:
		return abi.TypeLink
	}
	return abi.TypeOther
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

const bom = "\ufeff"

// decode returns the LF text of a file.
func decode(raw []byte) []byte {
	text := bytes.ReplaceAll(bytes.TrimPrefix(raw, []byte(bom)), []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// apply makes the one change of a request.
func (h *fakeHost) apply(r *fakeRequest, attachments [][]byte) (any, [][]byte, error) {
	if h.before != nil {
		h.before()
	}
	c := r.Changes[0]
	path := string(attachments[c.Path])
	target := path
	if link, err := os.Readlink(path); err == nil && c.Op == "put" { // a dangling link's target is made
		target = filepath.Join(filepath.Dir(path), link)
	}
	raw, err := os.ReadFile(path)
	exists := err == nil
	if c.Expect == abi.Absent && exists || c.Expect != "" && c.Expect != abi.Absent && c.Expect != digest(raw) {
		return nil, nil, &kindError{kind: abi.ErrChanged}
	}
	var now, text []byte
	switch c.Op {
	case "put":
		now = attachments[*c.Data]
		text = decode(now)
	case "edit":
		now, text = edit(raw, c.Splices[0], attachments)
	case "undo":
		key := string(attachments[*c.Undo])
		entries := h.history[key]
		if len(entries) == 0 {
			return nil, nil, &kindError{kind: abi.ErrNoUndo}
		}
		last := entries[len(entries)-1]
		if !bytes.Equal(last.wrote, raw) {
			return nil, nil, &kindError{kind: abi.ErrChanged}
		}
		h.history[key] = entries[:len(entries)-1]
		now, text = last.back, decode(last.back)
	}
	if c.Max > 0 && int64(len(now)) > c.Max {
		return nil, nil, &kindError{kind: abi.ErrTooLarge, size: int64(len(now))}
	}
	if err := os.WriteFile(target, now, 0o644); err != nil {
		return nil, nil, err
	}
	if c.Op != "undo" && c.Undo != nil {
		back := raw
		if c.UndoNew {
			back = now
		}
		key := string(attachments[*c.Undo])
		h.history[key] = append(h.history[key], undoEntry{bytes.Clone(back), bytes.Clone(now)})
		h.history[key] = h.history[key][max(0, len(h.history[key])-10):]
	}
	changed := map[string]any{"created": !exists, "size": len(now), "digest": digest(now), "old_text": nil, "new_text": h.keep(text)}
	if exists {
		changed["old_text"] = h.keep(decode(raw))
	}
	return map[string]any{"changes": []any{changed}}, nil, nil
}

func (h *fakeHost) keep(b []byte) int {
	h.blobs = append(h.blobs, bytes.Clone(b))
	return len(h.blobs) - 1
}

// edit applies a splice of the LF text to the bytes it came from, where what old
// and new text share at either end is left alone, and returns both new forms.
func edit(raw []byte, splice [3]int, attachments [][]byte) (now, text []byte) {
	old := decode(raw)
	at, end, insert := splice[0], splice[0]+splice[1], attachments[splice[2]]
	text = bytes.Join([][]byte{old[:at], insert, old[end:]}, nil)
	for at < end && len(insert) > 0 && old[at] == insert[0] {
		at, insert = at+1, insert[1:]
	}
	for at < end && len(insert) > 0 && old[end-1] == insert[len(insert)-1] {
		end, insert = end-1, insert[:len(insert)-1]
	}
	ending := []byte("\n")
	if crlf := bytes.Count(raw, []byte("\r\n")); 2*crlf > bytes.Count(old, []byte("\n")) || crlf > 0 && bytes.Contains(raw[:bytes.IndexByte(raw, '\n')], []byte("\r")) &&
		2*crlf == bytes.Count(old, []byte("\n")) {
		ending = []byte("\r\n")
	}
	now = bytes.Join([][]byte{raw[:rawOffset(raw, at)], bytes.ReplaceAll(insert, []byte("\n"), ending), raw[rawOffset(raw, end):]}, nil)
	return now, text
}

// rawOffset finds the byte of a file where byte n of its LF text comes from.
func rawOffset(raw []byte, n int) int {
	i := len(raw) - len(bytes.TrimPrefix(raw, []byte(bom)))
	for ; n > 0; n-- {
		if bytes.HasPrefix(raw[i:], []byte("\r\n")) {
			i++
		}
		i++
	}
	return i
}

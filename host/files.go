package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/hashicorp/go-hclog"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/changeset"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
	"github.com/ohhost/ohhost/tool"
)

const (
	headSize = 512     // bytes of a file that a decoded read shows raw
	readSize = 1 << 20 // bytes that are read before the context is asked
)

// filesService is the service "files" of one call.
type filesService struct {
	jail     *jail.Jail
	sess     *session.Session // nil without a state directory
	call     *tool.Call
	log      hclog.Logger
	noSync   bool
	readOnly bool // apply is refused
	limits   *Limits
	quota    *quota

	blobs   [][]byte
	kept    int               // bytes of blobs
	applied bool              // a change set was applied
	refusal *jail.DeniedError // the last one, for the caller's error
}

// filesRequest is the header of a request; which keys count depends on Op.
type filesRequest struct {
	Op     string `json:"op"`
	Follow bool   `json:"follow"`
	Decode bool   `json:"decode"`
	Max    int64  `json:"max"`
	Blob   int    `json:"blob"`
	applyRequest
}

// Name is "files".
func (s *filesService) Name() string { return abi.ServiceFiles }

// Invoke answers one request, see package abi, "Services".
func (s *filesService) Invoke(ctx context.Context, req *abi.Frame) (*abi.Frame, error) {
	var r filesRequest
	if err := readRequest(req.Header, &r); err != nil {
		return invalid("broken JSON: " + err.Error())
	}
	switch r.Op {
	case "apply":
		return s.failed(s.apply(ctx, &r.applyRequest, req))
	case "text":
		b, ok := s.blob(r.Blob)
		if !ok {
			return refuse(&serviceError{Kind: abi.ErrNotFound, Message: fmt.Sprintf("there is no blob %d", r.Blob)})
		}
		return reply(struct{}{}, b)
	}
	raw, ok := req.Attachment(0)
	if !ok {
		return invalid(fmt.Sprintf("%.40s: attachment 0 must be the path", r.Op))
	}
	path := pathOf(raw)
	switch r.Op {
	case "stat":
		return s.failed(s.stat(path, r.Follow))
	case "realpath":
		return s.failed(s.realPath(path))
	case "list":
		return s.failed(s.list(ctx, path, r.Follow, r.Max))
	case "read":
		if r.Max <= 0 || r.Max > maxRead {
			r.Max = maxRead
		}
		return s.failed(s.read(ctx, path, r.Decode, r.Max))
	}
	return invalid(fmt.Sprintf("no operation %.40q", r.Op))
}

// pathOf is the path of an attachment. What is too long for any file system is cut,
// not copied: the jail refuses the rest.
func pathOf(raw []byte) string { return string(raw[:min(len(raw), maxPath)]) }

// changed reports whether the call has changed something, see lease.
func (s *filesService) changed() bool { return s.applied }

// failed turns an error into an answer where the guest should see it.
func (s *filesService) failed(f *abi.Frame, err error) (*abi.Frame, error) {
	if err == nil {
		return f, nil
	}
	var denied *jail.DeniedError
	if errors.As(err, &denied) {
		s.refusal = denied
	}
	e, err := errorOf(err)
	if err != nil {
		return nil, err
	}
	return refuse(e)
}

// blob returns a text that the call keeps.
func (s *filesService) blob(i int) ([]byte, bool) {
	if i < 0 || i >= len(s.blobs) {
		return nil, false
	}
	return s.blobs[i], true
}

// keep keeps a text for the rest of the call, as far as there is room; nil is none.
func (s *filesService) keep(b []byte) *int {
	if b == nil || len(b) > maxKept-s.kept {
		return nil
	}
	s.kept += len(b)
	s.blobs = append(s.blobs, b)
	i := len(s.blobs) - 1
	return &i
}

func (s *filesService) stat(path string, follow bool) (*abi.Frame, error) {
	e, err := s.jail.Stat(path, follow)
	if err != nil {
		return nil, err
	}
	return reply(struct {
		Type  string `json:"type"`
		Size  int64  `json:"size"`
		Mode  uint32 `json:"mode"`
		MTime int64  `json:"mtime_ns"`
	}{abi.TypeName(e.Type), e.Size, e.Mode, e.MTime})
}

func (s *filesService) realPath(path string) (*abi.Frame, error) {
	p, err := s.jail.RealPath(path)
	if err != nil {
		return nil, err
	}
	return reply(struct{}{}, []byte(p))
}

func (s *filesService) list(ctx context.Context, path string, follow bool, max int64) (*abi.Frame, error) {
	limit := s.limits.ListEntries
	if max > 0 && max < int64(limit) {
		limit = int(max)
	}
	entries, err := s.jail.List(ctx, path, follow, limit)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range entries {
		size += abi.EntrySize(&entries[i])
	}
	b := make([]byte, 0, size)
	for i := range entries {
		b = abi.AppendEntry(b, &entries[i])
	}
	return reply(map[string]int{"count": len(entries)}, b)
}

// readHeader is the header of a read's answer; the second half is set for text.
type readHeader struct {
	Size   int64  `json:"size"`
	Digest string `json:"digest"`

	Undecodable string `json:"undecodable,omitempty"`
	Encoding    string `json:"encoding,omitempty"`
	Certain     bool   `json:"certain,omitempty"`
	BOM         bool   `json:"bom,omitempty"`
	Stray       int    `json:"stray,omitempty"`
	Control     bool   `json:"control,omitempty"`
	LineEnd     string `json:"line_end,omitempty"`
}

func (s *filesService) read(ctx context.Context, path string, decode bool, limit int64) (*abi.Frame, error) {
	raw, digest, err := s.readAll(ctx, path, limit)
	if err != nil {
		return nil, err
	}
	h := readHeader{Size: int64(len(raw)), Digest: hex.EncodeToString(digest)}
	if !decode {
		return reply(h, raw)
	}
	head := raw[:min(len(raw), headSize)]
	doc, err := text.DecodeContext(ctx, raw)
	if err != nil {
		var undecodable *text.UndecodableError
		if !errors.As(err, &undecodable) {
			return nil, err
		}
		h.Undecodable = undecodable.Reason
		return reply(h, nil, head)
	}
	h.Encoding, h.Certain, h.BOM = doc.Encoding, doc.Certain, doc.BOM
	h.Stray, h.Control, h.LineEnd = doc.Stray, doc.Control, doc.LineEnd
	return reply(h, doc.Text, head)
}

// readAll reads a regular file of at most limit bytes, and its digest. The buffer
// has the size that the file has when it is opened, so that a large one is in memory
// once.
func (s *filesService) readAll(ctx context.Context, path string, limit int64) (b, digest []byte, err error) {
	f, err := s.jail.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, nil, &fs.PathError{Op: "stat", Path: path, Err: errnoOf(err)}
	}
	if fi.IsDir() {
		return nil, nil, &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	if fi.Size() > limit {
		return nil, nil, &changeset.TooLargeError{Size: fi.Size()}
	}
	hash := sha256.New()
	b = make([]byte, 0, fi.Size()+1)
	for {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		n, err := f.Read(b[len(b):min(cap(b), len(b)+readSize)])
		hash.Write(b[len(b) : len(b)+n])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, hash.Sum(nil), nil
		case err != nil:
			return nil, nil, &fs.PathError{Op: "read", Path: path, Err: errnoOf(err)}
		case int64(len(b)) > limit:
			return nil, nil, &changeset.TooLargeError{Size: int64(len(b))}
		case len(b) == cap(b): // it grows while we read
			b = append(b, 0)[:len(b)]
		}
	}
}

// errnoOf unwraps what os puts around an error number: our own errors carry the
// path as the caller wrote it.
func errnoOf(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

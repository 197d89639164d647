package guest

import "github.com/ohhost/ohhost/abi"

// Files is the service of granted files. Paths are absolute; every method
// returns a *DeniedError where the grant refuses and a *FileError for what else
// the service refuses.
type Files struct{ host Host }

// A FileInfo is what Stat answers.
type FileInfo struct {
	Type  byte   // abi.TypeFile, TypeDir, TypeLink or TypeOther
	Size  int64  // bytes
	Mode  uint32 // the twelve permission bits
	MTime int64  // nanoseconds since 1970
}

// Stat describes a file; of a link, what it leads to if follow is set.
func (f Files) Stat(path string, follow bool) (*FileInfo, error) {
	req := newRequest(abi.ServiceFiles, "stat")
	req.attach(Bytes(path))
	req.boolMember("follow", follow)
	o, _, err := f.do(req, path)
	if err != nil {
		return nil, err
	}
	name, _ := o.Str("type")
	info := &FileInfo{Type: abi.TypeOther}
	for _, t := range [...]byte{abi.TypeFile, abi.TypeDir, abi.TypeLink} {
		if name == abi.TypeName(t) {
			info.Type = t
		}
	}
	mode, _ := o.Int("mode")
	info.Mode = uint32(mode)
	info.Size, _ = o.Int("size")
	info.MTime, _ = o.Int("mtime_ns")
	return info, nil
}

// RealPath returns the path without links, "." and "..".
func (f Files) RealPath(path string) (string, error) {
	req := newRequest(abi.ServiceFiles, "realpath")
	req.attach(Bytes(path))
	_, a, err := f.do(req, path)
	if err != nil {
		return "", err
	}
	return Text(attachment(a, 0)), nil
}

// ListOptions are the options of List; nil is the zero value.
type ListOptions struct {
	Follow bool // tell what links lead to, in Entry.Target
	Max    int  // refuse directories with more entries; 0 is 2^20, the most there is
}

// List returns the entries of a directory, sorted by name, byte by byte. Those that
// are denied are left out. The names are the memory the answer came in: whoever keeps one name of many keeps
// them all, unless it is cloned. A directory with more entries than Max, or with
// more names than fit the memory of a module (128 MiB of records), is a
// *FileError of kind abi.ErrInvalid.
func (f Files) List(path string, opts *ListOptions) ([]abi.Entry, error) {
	if opts == nil {
		opts = &ListOptions{}
	}
	req := newRequest(abi.ServiceFiles, "list")
	req.attach(Bytes(path))
	req.boolMember("follow", opts.Follow)
	if opts.Max > 0 {
		req.intMember("max", opts.Max)
	}
	_, a, err := f.do(req, path)
	if err == errLimit {
		return nil, &FileError{Op: "list", Path: path, Kind: abi.ErrInvalid, Message: "the names of the directory are over the limit"}
	}
	if err != nil {
		return nil, err
	}
	return abi.DecodeEntries(attachment(a, 0))
}

// A FileData is what Read answers.
type FileData struct {
	Data   []byte
	Digest string // SHA-256 in hex, for Change.Expect
}

// Read returns the bytes of a file of at most max bytes; 0 is 64 MiB, the most there is.
func (f Files) Read(path string, max int64) (*FileData, error) {
	req := newRequest(abi.ServiceFiles, "read")
	req.attach(Bytes(path))
	if max > 0 {
		req.intMember("max", int(max))
	}
	o, a, err := f.do(req, path)
	if err != nil {
		return nil, err
	}
	d := &FileData{Data: attachment(a, 0)}
	d.Digest, _ = o.Str("digest")
	return d, nil
}

// A FileText is what ReadText answers: see read with "decode" in package abi.
type FileText struct {
	Text    []byte // UTF-8 with LF line ends and without a byte order mark
	Head    []byte // the first bytes of the file as they are, up to 512
	Size    int64  // of the file, in bytes
	Digest  string // SHA-256 of the file's bytes in hex, for Change.Expect
	LineEnd string // the prevailing one: "\n", "\r\n" or "\r"

	Encoding string // IANA name
	Certain  bool   // false where Encoding is a guess
	BOM      bool
	Stray    int  // bytes that belong to no character, U+FFFD in Text
	Control  bool // Text holds one of U+0000-0008, U+000E-001F, U+007F

	// Undecodable is why the file is no text in any encoding (Text is empty
	// then); empty if it is one.
	Undecodable string
}

// ReadText returns the text of a file of at most max bytes; 0 is 64 MiB, the most there is. Text
// is the memory the answer came in: nothing is copied.
func (f Files) ReadText(path string, max int64) (*FileText, error) {
	req := newRequest(abi.ServiceFiles, "read")
	req.attach(Bytes(path))
	req.boolMember("decode", true)
	if max > 0 {
		req.intMember("max", int(max))
	}
	o, a, err := f.do(req, path)
	if err != nil {
		return nil, err
	}
	t := &FileText{Text: attachment(a, 0), Head: attachment(a, 1)}
	t.Size, _ = o.Int("size")
	t.Digest, _ = o.Str("digest")
	t.LineEnd, _ = o.Str("line_end")
	t.Encoding, _ = o.Str("encoding")
	t.Certain, _ = o.Bool("certain")
	t.BOM, _ = o.Bool("bom")
	stray, _ := o.Int("stray")
	t.Stray = int(stray)
	t.Control, _ = o.Bool("control")
	t.Undecodable, _ = o.Str("undecodable")
	return t, nil
}

// A Blob names a text that the files service keeps for this call.
type Blob int64

// NoBlob stands for a text that is not there: there is no file, or it is no text.
const NoBlob Blob = -1

// Text returns the text of a blob.
func (f Files) Text(b Blob) ([]byte, error) {
	req := newRequest(abi.ServiceFiles, "text")
	req.intMember("blob", int(b))
	_, a, err := f.do(req, "")
	if err != nil {
		return nil, err
	}
	return attachment(a, 0), nil
}

// do sends a request about one path.
func (f Files) do(req *request, path string) (Object, [][]byte, error) {
	o, a, err := invoke(f.host, abi.ServiceFiles, req)
	if err != nil {
		return o, a, err
	}
	if e, ok := o.Get("error").Object(); ok {
		return o, a, fileError(req.op, path, e)
	}
	return o, a, nil
}

// fileError makes the Go error of an answer's "error".
func fileError(op, path string, o Object) error {
	kind, _ := o.Str("kind")
	message, _ := o.Str("message")
	if kind == abi.ErrDenied {
		return &DeniedError{Path: path, Why: message}
	}
	e := &FileError{Op: op, Path: path, Kind: kind, Message: message}
	errno, _ := o.Int("errno")
	e.Errno = int(errno)
	e.Name, _ = o.Str("name")
	e.Size, _ = o.Int("size")
	change, _ := o.Int("change")
	e.Change = int(change)
	return e
}

func attachment(a [][]byte, i int) []byte {
	if i >= len(a) {
		return nil
	}
	return a[i]
}

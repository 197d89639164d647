package selftest

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// A naive puppet does what the puppet does, natively and without any wall: links are
// followed, devices are read, deadlines are ignored.
type naive struct {
	// spoil changes what is read, nil does not.
	spoil func([]byte)
}

func (*naive) Spec() *abi.Spec { return &abi.Spec{Name: "puppet"} }

func (*naive) Keys(context.Context, *tool.Call) ([]string, error) { return nil, nil }

// Call plays the script.
func (n *naive) Call(_ context.Context, c *tool.Call) (*abi.Result, error) {
	steps, err := parseScript(c.Args)
	if err != nil {
		return nil, err
	}
	files := map[uint32]*os.File{}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	le := binary.LittleEndian
	var out []byte
	for _, s := range steps {
		if s.op == opOutput {
			return &abi.Result{}, nil
		}
		if s.op == opTrap {
			return nil, errors.New("unreachable")
		}
		if s.op == opProgress && c.Progress != nil {
			c.Progress(s.one)
		}
		code, data := n.step(&s, files)
		out = le.AppendUint64(out, uint64(code))
		out = append(le.AppendUint32(out, uint32(len(data))), data...)
	}
	return &abi.Result{Fields: []abi.Field{{Name: "replies", Text: []byte(hex.EncodeToString(out))}}}, nil
}

func parseScript(args json.RawMessage) (steps []step, err error) {
	var a struct{ Script string }
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(a.Script)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	for len(b) > 0 {
		s := step{op: b[0], a: le.Uint32(b[1:]), b: le.Uint32(b[5:]), c: le.Uint64(b[9:])}
		b = b[17:]
		for _, text := range []*string{&s.one, &s.two} {
			n := le.Uint32(b)
			*text, b = string(b[4:4+n]), b[4+n:]
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func code0(err error) int64 {
	if err != nil {
		return -1
	}
	return 0
}

func (n *naive) step(s *step, files map[uint32]*os.File) (int64, []byte) {
	at := "/" + s.one
	switch s.op {
	case opInvoke:
		b := n.invoke([]byte(s.one))
		return int64(len(b)), b
	case opSleep:
		time.Sleep(min(time.Duration(s.c), 400*time.Millisecond))
	case opGrow:
		return 1, nil
	case opOpen:
		if hangs(at) {
			return -1, nil
		}
		flags := map[bool]int{true: os.O_RDWR, false: os.O_RDONLY}[s.c&rightWrite != 0]
		for bit, flag := range map[uint32]int{oCreat: os.O_CREATE, oExcl: os.O_EXCL, oTrunc: os.O_TRUNC} {
			if s.a&bit != 0 {
				flags |= flag
			}
		}
		f, err := os.OpenFile(at, flags|syscall.O_NONBLOCK, 0o644)
		if err != nil {
			return -1, nil
		}
		fd := uint32(4)
		for files[fd] != nil {
			fd++
		}
		files[fd] = f
		return int64(fd), nil
	case opRead:
		b := make([]byte, min(s.b, 4096))
		got, _ := files[s.a].Read(b)
		return int64(got), n.read(b[:max(0, got)])
	case opReadDir:
		names, err := files[s.a].Readdirnames(-1)
		return code0(err), fmt.Append(nil, names)
	case opWrite:
		_, err := files[s.a].WriteString(s.one)
		return code0(err), nil
	case opClose:
		err := files[s.a].Close()
		delete(files, s.a)
		return code0(err), nil
	case opStat:
		info, err := os.Stat(at)
		if err != nil {
			return -1, nil
		}
		return 0, binary.LittleEndian.AppendUint64(make([]byte, 32), uint64(info.Size()))
	case opSymlink:
		return code0(os.Symlink(s.one, "/"+s.two)), nil
	case opLink:
		return code0(os.Link(at, "/"+s.two)), nil
	case opRename:
		return code0(os.Rename(at, "/"+s.two)), nil
	case opUnlink:
		return code0(syscall.Unlink(at)), nil
	}
	return 0, nil
}

// hangs says of a file that opening it is no part of what is tested: it may wait for
// ever, or belongs to the machine.
func hangs(path string) bool {
	return path == "/dev/tty" || path == "/dev/mem" || filepath.Base(path) == "mem"
}

func (n *naive) read(b []byte) []byte {
	if n.spoil != nil {
		n.spoil(b)
	}
	return b
}

// invoke answers a request to the service files.
func (n *naive) invoke(request []byte) []byte {
	answer := func(header any, attachments ...[]byte) []byte {
		h, err := json.Marshal(header)
		if err != nil {
			panic(err)
		}
		b, err := (&abi.Frame{Header: h, Attachments: attachments}).Append(nil)
		if err != nil {
			panic(err)
		}
		return b
	}
	failed := func(err error) []byte {
		return answer(map[string]any{"error": map[string]string{"kind": "os", "message": err.Error()}})
	}
	f, err := abi.DecodeFrame(request)
	if err != nil {
		return failed(err)
	}
	var r struct {
		Op      string
		Changes []struct {
			Op       string
			Path, To int
			Data     int
		}
	}
	if err := json.Unmarshal(f.Header, &r); err != nil {
		return failed(err)
	}
	text := func(i int) string {
		b, _ := f.Attachment(i)
		return string(b)
	}
	path := text(0)
	switch r.Op {
	case "stat":
		info, err := os.Stat(path)
		if err != nil {
			return failed(err)
		}
		return answer(struct {
			Size int64  `json:"size"`
			Mode uint32 `json:"mode"`
		}{info.Size(), uint32(info.Mode())})
	case "realpath":
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return failed(err)
		}
		return answer(struct{}{}, []byte(real))
	case "list":
		entries, err := os.ReadDir(path)
		if err != nil {
			return failed(err)
		}
		return answer(struct{}{}, fmt.Append(nil, entries))
	case "read":
		if hangs(path) {
			return failed(syscall.EACCES)
		}
		file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return failed(err)
		}
		defer file.Close()
		b, err := io.ReadAll(io.LimitReader(file, 1<<16))
		if err != nil {
			return failed(err)
		}
		return answer(struct{}{}, n.read(b))
	case "apply":
		for _, c := range r.Changes {
			switch c.Op {
			case "put":
				err = os.WriteFile(text(c.Path), []byte(text(c.Data)), 0o644)
			case "move":
				err = os.Rename(text(c.Path), text(c.To))
			case "delete":
				err = syscall.Unlink(text(c.Path))
			case "mkdir":
				err = os.Mkdir(text(c.Path), 0o755)
			default:
				err = syscall.EINVAL
			}
			if err != nil {
				return failed(err)
			}
		}
		return answer(struct{}{})
	}
	return failed(syscall.EINVAL)
}

package selftest

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// Operations of the guest puppet, see testdata/guests/puppet.c.
const (
	opInvoke = iota + 1
	opOutput
	opProgress
	opGrow
	opClock
	opSleep

	opOpen
	opRead
	opReadDir
	opWrite
	opClose
	opRenumber
	opAllocate
	opSetSize
	opSetFDTimes

	opStat
	opReadLink
	opSymlink
	opLink
	opRename
	opMkdir
	opUnlink
	opRmdir
	opSetTimes

	opTrap // what the puppet does not know
)

// Flags of path_open and fd_* in WASI preview 1.
const (
	oCreat     = 1
	oDirectory = 2
	oExcl      = 4
	oTrunc     = 8
	fdAppend   = 1

	rightRead    = 1 << 1
	rightWrite   = 1 << 6
	rightReadDir = 1 << 14
)

// A step is one thing that the puppet does; what the numbers mean depends on op.
type step struct {
	op       byte
	a, b     uint32
	c        uint64
	one, two string
}

// A reply is what came of a step: a negative code is an error number of WASI, or a
// refusal of invoke.
type reply struct {
	code int64
	data []byte
}

// script encodes steps as the puppet's arguments.
func script(steps []step) json.RawMessage {
	le := binary.LittleEndian
	var b []byte
	for _, s := range steps {
		b = append(b, s.op)
		b = le.AppendUint32(b, s.a)
		b = le.AppendUint32(b, s.b)
		b = le.AppendUint64(b, s.c)
		for _, text := range []string{s.one, s.two} {
			b = le.AppendUint32(b, uint32(len(text)))
			b = append(b, text...)
		}
	}
	return json.RawMessage(`{"script":"` + hex.EncodeToString(b) + `"}`)
}

// play has the puppet do the steps and returns what came back, one for each.
func play(ctx context.Context, puppet tool.Tool, steps ...step) ([]reply, error) {
	res, err := puppet.Call(ctx, &tool.Call{Args: script(steps)})
	if err != nil {
		return nil, err
	}
	if len(res.Fields) != 1 {
		return nil, errors.New("the puppet's answer has no replies")
	}
	return parseReplies(res.Fields[0].Text, len(steps))
}

func parseReplies(text []byte, want int) ([]reply, error) {
	b, err := hex.DecodeString(string(text))
	if err != nil {
		return nil, fmt.Errorf("the puppet's replies: %w", err)
	}
	le := binary.LittleEndian
	var replies []reply
	for len(b) >= 12 {
		n := uint64(le.Uint32(b[8:]))
		if n > uint64(len(b)-12) {
			break
		}
		replies = append(replies, reply{int64(le.Uint64(b)), b[12 : 12+n]})
		b = b[12+n:]
	}
	if len(b) > 0 || len(replies) != want {
		return nil, fmt.Errorf("the puppet made %d replies to %d steps", len(replies), want)
	}
	return replies, nil
}

// request is a step that asks the service files; the header is that of package
// abi without "service".
func request(header string, attachments ...string) step {
	f := &abi.Frame{Header: []byte(`{"service":"files",` + header[1:])}
	for _, a := range attachments {
		f.Attachments = append(f.Attachments, []byte(a))
	}
	b, err := f.Append(nil)
	if err != nil {
		panic(err) // the requests are ours
	}
	return step{op: opInvoke, one: string(b)}
}

// An answer is that of a service.
type answer struct {
	header      []byte
	attachments [][]byte
	Error       struct{ Kind, Message string }
}

// answerOf reads a reply to a request. A reply without an answer is one whose
// error has the kind "refused".
func answerOf(r reply) answer {
	var a answer
	f, err := abi.DecodeFrame(r.data)
	if r.code < 0 || err != nil || json.Unmarshal(f.Header, &a) != nil {
		a.Error.Kind, a.Error.Message = "refused", fmt.Sprintf("invoke: %d", r.code)
		return a
	}
	a.header, a.attachments = f.Header, f.Attachments
	return a
}

package host_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// TestA1Pointers: bytes that lie outside of the memory, wholly or in part, whatever
// their numbers add up to, are a fault in every import; those at its very end, at odd
// addresses, or over each other are none.
func TestA1Pointers(t *testing.T) {
	t.Parallel()
	const end = 2 << 16
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	for _, imported := range []string{"output", "input", "log", "progress", "invoke"} {
		for i, c := range []struct {
			at, len int32
			fault   bool
		}{
			{end, 0, false}, {end - 1, 1, false}, {8191, 3, false}, {0, end, false},
			{end, 1, true}, {end - 1, 2, true}, {end + 1, 0, true}, {0, end + 1, true}, {0, -1, true}, {1, -1, true},
			{-1, 0, true}, {-1, 1, true}, {-1, -1, true}, {-16, 32, true}, {-1 << 31, -1 << 31, true}, {1<<31 - 1, 1<<31 - 1, true}, {end, -end, true},
		} {
			t.Run(fmt.Sprint(imported, c.at, ",", c.len), func(t *testing.T) {
				p := newMade("ohhost_v1.input", "ohhost_v1.log", "ohhost_v1.progress", "ohhost_v1.invoke")
				p.Memory = g.Limits(end >> 16)
				args := []int32{c.at, c.len}
				if imported == "log" {
					args = []int32{2, c.at, c.len}
				}
				p.Call = p.call(imported, args...)
				if imported == "input" || imported == "invoke" {
					p.Call = append(p.Call, g.Drop)
				}
				// The texts may be overwritten by now: what comes back is a number.
				p.Call = slices.Concat(p.Call, g.I32Const(7), back)
				name := fmt.Sprint(imported, i)
				_, err := call(bind(t, h, name, p.Bytes()), hangLimit)
				want := name + ": call: oh_call returned 7"
				if c.fault {
					want = name + ": call: the guest passed a pointer outside its memory"
				}
				require.EqualError(t, err, want)
				require.Equal(t, tool.KindFault, tool.Kind(err))
			})
		}
	}
}

// request is a frame that a plugin has in its memory.
func request(t testing.TB, header string, attachments ...[]byte) []byte {
	t.Helper()
	f := abi.Frame{Header: []byte(header), Attachments: attachments}
	b, err := f.Append(nil)
	require.NoError(t, err)
	return b
}

// TestA2Views: what a guest has given the host stays as it was, whatever the guest
// does to its memory afterwards: texts that the call keeps, files, progress and
// what it has output already.
func TestA2Views(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	path := filepath.Join(dir, "f")
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	apply := request(t, `{"service":"files","op":"apply","changes":[{"op":"put","path":0,"data":1}],"state":[{"name":"s","data":2}]}`, []byte(path), []byte("first text"), []byte("a value"))
	state := request(t, `{"service":"state","op":"get","name":"s"}`)
	answer := request(t, `{"result":{"content":[{"type":"text","attachment":0}],"fields":{"kept":{"$blob":0}}}}`, []byte("early words"))
	p := newMade("ohhost_v1.invoke", "ohhost_v1.progress", "ohhost_v1.input")
	const at, stateAt, answerAt = 8192, 16384, 24576
	p.More = func(b *g.Builder) {
		b.Data(g.I32Const(at), apply)
		b.Data(g.I32Const(stateAt), state)
		b.Data(g.I32Const(answerAt), answer)
	}
	spoil := func(at int) []byte { // and grow: views of a memory that was moved are stale
		return slices.Concat(g.I32Const(int32(at)), g.I32Const('!'), g.I32Const(8192), bulk(11, 0), g.I32Const(64), memoryGrow, drop)
	}
	p.Call = slices.Concat(
		p.call("progress", at+int32(len(apply))-17, 10), // "first text"
		p.call("invoke", at, int32(len(apply))), drop, spoil(at),
		p.call("invoke", stateAt, int32(len(state))), drop, spoil(stateAt),
		p.call("input", at, 8192), drop,
		p.call("output", answerAt, int32(len(answer))), spoil(answerAt), g.I32Const(0), back)
	b := bindIn(t, h, "views", p.Bytes(), dir)
	var told []string
	res, err := b.Call(t.Context(), &tool.Call{Args: []byte(`{}`), Progress: func(s string) { told = append(told, s) }})
	require.NoError(t, err)
	require.Equal(t, []string{"first text"}, told)
	require.Equal(t, "early words", res.Content[0].Text)
	require.Equal(t, []abi.Field{{Name: "kept", Text: []byte("first text")}}, res.Fields)
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "first text", string(have))
}

// TestA2Lengths: the length that invoke tells is that of the latest answer: a second
// request between it and the reading replaces what was unread, and reading on past
// the end gives nothing.
func TestA2Lengths(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	list := request(t, `{"service":"state","op":"list"}`)
	p := newMade("ohhost_v1.invoke", "ohhost_v1.input")
	p.Locals = counter
	p.More = func(b *g.Builder) { b.Data(g.I32Const(texts), list) }
	n := int32(len(list))
	answered := int32(len(request(t, `{"names":[]}`)))
	p.Call = slices.Concat(
		p.call("invoke", texts, n), drop, p.call("input", 8192, 3), drop, // a part of the first
		p.call("invoke", texts, n), []byte{0xa7}, set(1), // the second: wrapped to i32
		p.call("input", 8192, 1<<15), get(1), []byte{i32Sub, g.If, g.Void, g.Unreachable, g.End},
		p.call("input", 8192, 1<<15), []byte{g.If, g.Void, g.Unreachable, g.End},
		get(1), back)
	_, err := call(bind(t, h, "lengths", p.Bytes()), hangLimit)
	require.EqualError(t, err, fmt.Sprintf("lengths: call: oh_call returned %d", answered))
}

// liar is a plugin that reads a file and sends its bytes as they are: as the answer,
// or as a request before it answers.
func liar(t testing.TB, path, how string) []byte {
	t.Helper()
	read := request(t, `{"service":"files","op":"read"}`, []byte(path))
	p := newMade("ohhost_v1.invoke", "ohhost_v1.input")
	p.Memory = g.Limits(64)
	p.More = func(b *g.Builder) { b.Data(g.I32Const(texts), read) }
	const at = 8192 // of the answer: its header's length, that of its one attachment
	load := func(from int32) []byte { return slices.Concat(g.I32Const(from), g.Op(g.I32Load, 0, 0)) }
	p.Call = slices.Concat(
		p.call("invoke", texts, int32(len(read))), drop, p.call("input", at, 60<<16), drop,
		load(at), g.I32Const(at+12), []byte{g.I32Add}, load(at+8), g.Op(g.Call, p.funcs[how]))
	if how == "output" {
		p.Call = slices.Concat(p.Call, g.I32Const(0), back)
	} else {
		p.Call = append(p.Call, g.Drop)
	}
	return p.Bytes()
}

// lies are frames that are wrong in a way: each length of a sound one replaced, each
// prefix of it, and headers that are no header.
func lies(sound []byte, headers ...string) [][]byte {
	var all [][]byte
	for word := 0; word < 12; word += 4 {
		for _, v := range []uint32{0, 1, 2, 0xff, 1 << 16, 1<<16 + 1, 1 << 26, 1<<26 + 1, 1 << 28, 1 << 30, 1<<31 - 1, 1 << 31, 1<<32 - 8, 1<<32 - 1} {
			b := slices.Clone(sound)
			binary.LittleEndian.PutUint32(b[word:], v)
			all = append(all, b)
		}
	}
	for n := range sound {
		all = append(all, sound[:n])
	}
	for at := range sound { // a byte of it changed
		b := slices.Clone(sound)
		b[at] ^= 0xa5
		all = append(all, b)
	}
	for _, h := range headers {
		all = append(all, append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...))
	}
	return append(all, append(slices.Clone(sound), 0), make([]byte, 1<<16), slices.Repeat([]byte{0xff}, 1<<16))
}

// headerLies are JSON that is odd or broken, for every kind of header.
var headerLies = []string{
	"", " ", "null", "0", `""`, "[]", "{}", "{", "}", "[[", `{"result":null}`, `{"result":[]}`, `{"result":0}`, `{"result":{"content":0}}`,
	`{"result":{"content":[null]}}`, `{"result":{"content":[{"type":null}]}}`, `{"result":{"content":[{"type":"text","attachment":-1}]}}`,
	`{"result":{"content":[{"type":"text","attachment":9223372036854775807}]}}`, `{"result":{"content":[{"type":"text","attachment":1e308}]}}`,
	`{"result":{"content":[{"type":"image","mime":"image/png","attachment":-9223372036854775808}]}}`,
	`{"result":{"content":[],"fields":[]}}`, `{"result":{"content":[],"fields":{"x":{"$blob":9223372036854775807}}}}`,
	`{"result":{"content":[],"fields":{"x":{"$blob":-1}}}}`, `{"result":{"content":[],"fields":{"x":{"$attachment":null}}}}`,
	`{"result":{"content":[],"fields":{"":{"$attachment":{}}}}}`, `{"result":{"content":[]},"result":{"content":[]}}`,
	`{"denied":{}}`, `{"denied":[]}`, `{"raised":{"message":0}}`, `{"raised":{}}`, `{"keys":null}`, `{"keys":[null]}`, `{"keys":[0]}`,
	`{"result":{"content":[{"type":"text","text":"\ud800"}]}}`, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe\"}]}}",
	strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 100_000), `{"a":"` + strings.Repeat(`\u0000`, 10_000) + `"}`, `{"result":` + strings.Repeat("9", 100_000) + "}",
	`{"service":null}`, `{"service":"files"}`, `{"service":"files","op":null}`, `{"service":"files","op":"stat"}`, `{"service":"files","op":"read","max":-1}`,
	`{"service":"files","op":"read","max":9223372036854775807}`, `{"service":"files","op":"text","blob":-1}`, `{"service":"files","op":"text","blob":9223372036854775807}`,
	`{"service":"files","op":"apply","changes":[{"op":"edit","path":-1,"splices":[[0,0,0]]}]}`,
	`{"service":"files","op":"apply","changes":[{"op":"put","path":0,"data":9223372036854775807}]}`,
	`{"service":"files","op":"apply","changes":[{"op":"edit","path":0,"splices":[[-1,-1,-1]]}]}`,
	`{"service":"files","op":"apply","changes":[{"op":"edit","path":0,"splices":[[9223372036854775807,9223372036854775807,0]]}]}`,
	`{"service":"files","op":"apply","changes":[null]}`, `{"service":"files","op":"apply","changes":[{}],"state":[null]}`,
	`{"service":"state","op":"put","name":null}`, `{"service":"state","op":"get","name":"../x"}`, `{"service":"state","op":"put","name":"x"}`,
}

// TestA7Answers: no bytes that a guest answers make the host panic; each is a result,
// or an error of the kinds that there are, and the host goes on.
func TestA7Answers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(workspace(t), "lie")
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	b := bindIn(t, h, "liar", liar(t, path, "output"), filepath.Dir(path))
	sound := request(t, `{"result":{"content":[{"type":"text","attachment":0}],"fields":{"a":{"$attachment":0}}}}`, []byte("text"))
	all := lies(sound, headerLies...)
	if host.Interpreted {
		all = all[len(all)-len(headerLies)-60:] // the interpreter takes too long for each byte of a frame
	}
	faults := 0
	for _, lie := range all {
		require.NoError(t, os.WriteFile(path, lie, 0o600))
		res, err := call(b, hangLimit)
		switch {
		case err != nil:
			require.Nil(t, res)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
			require.Contains(t, []string{tool.KindFault, tool.KindRaised, tool.KindDenied}, tool.Kind(err))
			if tool.Kind(err) == tool.KindFault {
				faults++
				require.Contains(t, err.Error(), "liar: call: ")
				require.Less(t, len(err.Error()), 1000)
			}
		default:
			require.NotNil(t, res)
		}
	}
	require.Greater(t, faults, len(all)/3)
	require.NoError(t, os.WriteFile(path, sound, 0o600))
	res, err := call(b, hangLimit)
	require.NoError(t, err)
	require.Equal(t, "text", res.Content[0].Text)
}

// TestA7Requests: nor do the bytes of a request, which is refused or answered; the
// call goes on either way.
func TestA7Requests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(workspace(t), "lie")
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	b := bindIn(t, h, "liar", liar(t, path, "invoke"), filepath.Dir(path))
	all := lies(request(t, `{"service":"files","op":"stat"}`, []byte(path)), headerLies...)
	for _, header := range headerLies {
		all = append(all, request(t, header, []byte(path)), request(t, header, nil, nil), request(t, header, []byte("\x00"), []byte(strings.Repeat("x", 10_000))))
	}
	if host.Interpreted {
		all = all[len(all)-4*len(headerLies):] // see TestA7Answers
	}
	for _, lie := range all {
		require.NoError(t, os.WriteFile(path, lie, 0o600))
		requireAnswers(t, b)
	}
}

// TestA6Answers: what comes after an answer makes it none, be it a byte or an answer
// once more, and an answer that comes too late is not taken.
func TestA6Answers(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	sound := request(t, `{"result":{"content":[{"type":"text","text":"early"}]}}`)
	n := int32(len(sound))
	for i, c := range []struct {
		name string
		code func(p *made) []byte
		want string
	}{
		{"once, in pieces", func(p *made) []byte {
			return slices.Concat(p.call("output", texts, 5), p.call("output", texts+5, 0), p.call("output", texts+5, n-5))
		}, ""},
		{"twice", func(p *made) []byte { return slices.Concat(p.call("output", texts, n), p.call("output", texts, n)) },
			"the guest's answer: bytes follow the last attachment of the frame"},
		{"a byte more", func(p *made) []byte { return slices.Concat(p.call("output", texts, n), p.call("output", texts, 1)) },
			"the guest's answer: bytes follow the last attachment of the frame"},
		{"and a trap", func(p *made) []byte { return slices.Concat(p.call("output", texts, n), []byte{g.Unreachable}) },
			"wasm error: unreachable"},
		{"and an exit", func(p *made) []byte { return slices.Concat(p.call("output", texts, n), p.call("proc_exit", 0)) },
			"module closed with exit_code(0)"},
		{"and a failure", func(p *made) []byte { return slices.Concat(p.call("output", texts, n), g.I32Const(1), back) },
			"oh_call returned 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newMade(wasi + "proc_exit")
			p.More = func(b *g.Builder) { b.Data(g.I32Const(texts), sound) }
			p.Call = slices.Concat(c.code(p), g.I32Const(0), back)
			name := fmt.Sprint("answers", i)
			res, err := call(bind(t, h, name, p.Bytes()), hangLimit)
			if c.want != "" {
				require.EqualError(t, err, name+": call: "+c.want)
				require.Nil(t, res)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "early", res.Content[0].Text)
		})
	}
	late := newMade("ohhost_v1.progress")
	late.Call = late.call("progress", 0, 0)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := bind(t, h, "late", late.Bytes()).Call(ctx, &tool.Call{Args: []byte(`{}`), Progress: func(string) {
		cancel()
		time.Sleep(shortTime) // for the host to notice
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, res)
}

package selftest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ohhost/ohhost/abi"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// tryA1 passes pointers and lengths that are not in the guest's memory to each
// function of the host, and sends frames whose lengths lie.
func tryA1(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	functions := []imported{
		{abi.Version, abi.ImportInput, []byte{i32, i32}, []byte{i32}},
		{abi.Version, abi.ImportProgress, []byte{i32, i32}, nil},
		{abi.Version, abi.ImportInvoke, []byte{i32, i32}, []byte{i64}},
		logs,
		{abi.Version, abi.ImportOutput, []byte{i32, i32}, nil},
	}
	tried := 0
	for _, f := range functions {
		for _, at := range [][2]int32{{-16, 32}, {0, -1}, {1 << 16, 1}, {1<<16 - 8, 9}, {-1, 1}, {-1, -1}, {1 << 30, 1 << 30}} {
			args := at[:]
			if f.name == abi.ImportLog {
				args = append([]int32{2}, args...)
			}
			c := call(1, args...)
			if f.results != nil {
				c = append(c, drop...)
			}
			e := w.call(ctx, w.bindMade(ctx, g.Plugin{Imports: imports(f), Call: c}), w.hang, none)
			w.must(ctx.Err())
			if e.err == nil {
				w.through("%s took %d bytes at %#x of a memory of 65536", f.name, uint32(at[1]), uint32(at[0]))
			}
			tried++
		}
	}
	le := binary.LittleEndian
	lie := func(header, n, attachment uint32, rest string) string {
		return string(append(le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, header), n), attachment), rest...))
	}
	frames := []string{
		"", "x", "not a frame", lie(1<<32-1, 0, 0, "{}"), lie(2, 1<<32-1, 0, "{}"), lie(2, 1, 1<<32-1, "{}"), lie(2, 1, 1, "{}"), lie(3, 1, 0, "{}"), lie(1<<31, 1<<30, 1<<31, "{}"),
	}
	for _, f := range frames {
		got, err := play(ctx, p, step{op: opInvoke, one: f})
		w.must(err)
		if got[0].code >= 0 && answerOf(got[0]).Error.Kind == "" {
			w.through("a request that is no frame was answered: %.40q", f)
		}
		if e := w.call(ctx, p, w.hang, script([]step{{op: opOutput, one: f}})); e.err == nil {
			w.through("what is no frame was taken for an answer: %.40q", f)
		}
		w.must(ctx.Err())
	}
	w.alive(ctx)
	w.stopped("ABI: every pointer and length is checked", "%d pointers and %d frames were refused", tried, 2*len(frames))
}

// tryA2 grows its memory, which moves it, between a request and its answer.
func tryA2(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	text := strings.Repeat("0123456789abcdef", 4<<10)
	w.must(w.write("work/long", text))
	long := filepath.Join(w.work, "long")
	var steps []step
	for range 8 {
		steps = append(steps, request(`{"op":"read"}`, long), step{op: opGrow, a: 64},
			step{op: opOpen, c: rightRead, one: wasiPath(long)}, step{op: opGrow, a: 1}, step{op: opRead, a: 4, b: 1 << 16}, step{op: opClose, a: 4})
	}
	got, err := play(ctx, p, steps...)
	w.must(err)
	grew := 0
	for i, r := range got {
		switch steps[i].op {
		case opInvoke:
			if a := answerOf(r); len(a.attachments) != 1 || string(a.attachments[0]) != text {
				w.through("an answer was garbled when memory moved")
			}
		case opRead:
			if len(r.data) == 0 || !strings.HasPrefix(text, string(r.data)) {
				w.through("a file was garbled when memory moved")
			}
		case opGrow:
			if r.code > 0 {
				grew++
			}
		}
	}
	if grew == 0 {
		w.skip("the guest's memory did not grow")
	}
	w.stopped("ABI: memory is looked up anew in each call of the host", "memory grew %d times amid requests, and nothing was garbled", grew)
}

// tryA6 answers twice, and acts after its deadline.
func tryA6(ctx context.Context, w *world) {
	h := w.host(nil)
	p := w.puppet(ctx, h, w.grant())
	good := frame(`{"result":{"content":[],"is_error":false}}`)
	answers := []string{
		good + good, frame(`{"result":{"content":[]},"raised":{"message":"x"}}`), frame(`{}`), frame(`{"result":`), frame(`[]`), frame(`{"result":null}`),
		frame(`{"result":{"content":[]},"result":{"content":[]}}`), frame(`{"RESULT":{"content":[]}}`),
	}
	for _, a := range answers {
		e := w.call(ctx, p, w.hang, script([]step{{op: opOutput, one: a}}))
		w.must(ctx.Err())
		if e.err == nil {
			w.through("this was taken for an answer: %.80q", a)
		}
	}
	late := filepath.Join(w.work, "late")
	d := w.endless(ctx, p, "a change after the deadline", script([]step{
		{op: opSleep, c: uint64(w.deadline + 200*time.Millisecond)},
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, late, "late"),
		{op: opSleep, c: uint64(time.Hour)},
	}))
	select {
	case <-time.After(300 * time.Millisecond): // what is still running might act now
	case <-ctx.Done():
	}
	w.must(ctx.Err())
	if _, err := os.Stat(late); err == nil {
		w.through("a file was written after the deadline")
	}
	w.alive(ctx)
	w.stopped("ABI: exactly one answer; no services after the deadline", "%d answers were refused; nothing was written, the call ended %s", len(answers), worst(d))
}

// frame encodes a header alone.
func frame(header string) string {
	b, err := (&abi.Frame{Header: []byte(header)}).Append(nil)
	if err != nil {
		panic(err) // the headers are ours
	}
	return string(b)
}

// tryA7 answers and asks with garbage, most of it nearly right. A panic of the host
// ends this process, if it is not caught here.
func tryA7(ctx context.Context, w *world) {
	const rounds, each = 200, 30
	p := w.puppet(ctx, w.host(nil), w.grant())
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 0))
	victim := filepath.Join(w.work, "victim")
	w.must(w.write("work/victim", "victim\n"))
	requests := []string{
		request(`{"op":"read","decode":true,"max":100}`, victim).one,
		request(`{"op":"list","follow":true}`, w.work).one,
		request(`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,1,1],[2,1,1]],"expect":"absent","undo":0}],"state":[{"name":"x","data":1}]}`, victim, "data").one,
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1,"max":100}]}`, victim, "data").one,
		request(`{"op":"text","blob":0}`).one,
	}
	answers := []string{
		frame(`{"result":{"content":[{"type":"text","text":"x"}],"fields":{"a":{"$blob":0},"b":{"$attachment":0}},"is_error":true}}`),
		frame(`{"denied":{"path":"/x","why":"y","write":true}}`), frame(`{"raised":{"message":"x"}}`), frame(`{"keys":["a","b"]}`),
	}
	for i := 0; i < rounds && ctx.Err() == nil && len(w.evidence) == 0; i++ {
		var steps []step
		for range each {
			steps = append(steps, step{op: opInvoke, one: mutate(rnd, requests[rnd.IntN(len(requests))])})
		}
		if i%2 == 0 {
			steps = append(steps, step{op: opOutput, one: mutate(rnd, answers[rnd.IntN(len(answers))])})
		}
		e := w.call(ctx, p, w.hang, script(steps))
		if e.err != nil && strings.Contains(e.err.Error(), "runtime error") {
			w.through("the host panicked (seed %d): %v", seed, e.err)
		}
	}
	w.must(ctx.Err())
	w.alive(ctx)
	w.stopped("decoders: errors, never a panic", "%d requests and %d answers of garbage (seed %d)", rounds*each, rounds/2, seed)
}

// mutate damages a text in one to four places.
func mutate(rnd *rand.Rand, s string) string {
	b := []byte(s)
	for range 1 + rnd.IntN(4) {
		if len(b) == 0 {
			break
		}
		at := rnd.IntN(len(b))
		switch rnd.IntN(5) {
		case 0:
			b[at] ^= 1 << rnd.IntN(8)
		case 1:
			b = b[:at]
		case 2:
			b = fmt.Appendf(b[:at:at], "%d%s", rnd.Int64(), b[at:])
		case 3:
			b[at] = 0xff
		default:
			b = append(b[:at:at], b[rnd.IntN(len(b)):]...)
		}
	}
	return string(b)
}

// tryA3 lacks exports, has wrong ones, fails at start-up, and calls the host from
// within a call of it.
func tryA3(ctx context.Context, w *world) {
	sound, trap := starting(nil), starting([]byte{g.Unreachable})
	renamed := func(from, to string) []byte { return bytes.Replace(sound.Bytes(), []byte(from), []byte(to), 1) }
	w.refused(ctx, sound,
		trial{"no memory", renamed("\x06memory", "\x06mem0ry")},
		trial{"no oh_call", renamed("\x07oh_call", "\x07oh_cell")},
		trial{"no oh_describe", renamed("\x0boh_describe", "\x0boh_descry__")},
		trial{"an export of another signature", (&g.Plugin{More: func(b *g.Builder) {
			b.Export(abi.ExportInitialize, g.KindFunc, b.Func(g.TypeI32I32, nil, num(0)))
		}}).Bytes()},
		trial{"start-up code that traps", trap.Bytes()},
	)
	detail := w.detail
	h, endless := w.host(nil), starting(forever())
	e := w.watch(ctx, w.deadline, func(ctx context.Context) (*abi.Result, error) {
		return nil, h.Load(ctx, "x", endless.Bytes(), nil)
	})
	w.must(ctx.Err())
	if e.err == nil {
		w.through("a module whose start-up never ends was loaded")
	}
	// A caller that makes a call while it is told of the progress of another.
	p := w.puppet(ctx, w.host(nil), w.grant())
	nested := 0
	again := w.watch(ctx, w.hang, func(ctx context.Context) (*abi.Result, error) {
		return p.Call(ctx, &tool.Call{Args: script([]step{{op: opProgress, one: "x"}}), Progress: func(string) {
			if _, err := play(ctx, p, step{op: opClock}); err == nil {
				nested++
			}
		}})
	})
	w.must(again.err)
	if nested != 1 {
		w.skip("a call from within a call did not work")
	}
	w.stopped("loader: exports and start-up are checked", "%s; endless start-up ended %s; a call from within a call has its own instance", detail, worst(e.late))
}

// starting is a plugin with start-up code.
func starting(code []byte) g.Plugin {
	return g.Plugin{More: func(b *g.Builder) { b.Export(abi.ExportInitialize, g.KindFunc, b.Func(g.TypeVoid, nil, code)) }}
}

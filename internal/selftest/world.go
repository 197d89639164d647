package selftest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/testdata"
	"github.com/ohhost/ohhost/tool"
)

// A target is what is attacked: a *host.Host, or in tests one that lets attacks
// through.
type target interface {
	tool.Source
	Load(ctx context.Context, name string, wasm []byte, specs []*abi.Spec) error
}

// bounds are what an attack is judged by. They are far from what the host promises
// (docs/benchmarks.md), so that a busy machine is not mistaken for a hole.
type bounds struct {
	deadline time.Duration // of a call that never ends by itself
	hang     time.Duration // how long after its deadline a call may be under way
	memory   int64         // bytes that this process may grow beyond what was granted
	race     time.Duration // how long races are tried
}

var usual = bounds{deadline: 150 * time.Millisecond, hang: 4 * time.Second, memory: 128 << 20, race: 1200 * time.Millisecond}

// A world is what one vector is tried in: directories of its own, a secret outside
// of what is granted, and what was seen. It is used by one goroutine.
type world struct {
	bounds
	dir  string // of everything
	work string // granted for writing; has the file control
	ro   string // granted for reading; has file and sub/file
	out  string // not granted; has canary, and dir with a file of an unguessable name

	secret string // what out/canary begins with
	hidden string // the name of the file in out/dir, which no request has
	size   int    // of out/canary, like no other file's

	newHost func(*host.Options) (target, error)
	cache   string // of compiled guests, shared by worlds
	hosts   []target
	guards  []guard // directories that must stay as they are

	open   []string // what is granted: what a guest may learn that a path leads to
	maySee bool     // the secret may be read and lie in work: a hard link was put there

	tried, denied int            // requests to the jail
	whys          map[string]int // why they were denied, and how often

	wall, detail string
	evidence     []evidence
	spoilt       bool // something of the attack is still running
}

// An evidence is what shows that an attack got through.
type evidence struct {
	kind, text string
	more       int // of the same kind
}

// String is the text, and how much more there is.
func (e evidence) String() string {
	if e.more > 0 {
		return fmt.Sprintf("%s (and %d more)", e.text, e.more)
	}
	return e.text
}

// A skipped is why a vector cannot be tried; thrown by skip and must, caught by
// attempt. Errors of setting up handed up through every vector would be most of
// their code.
type skipped struct{ error }

func newWorld(dir, cache string, b bounds) (*world, error) {
	w := &world{
		bounds: b, dir: dir, work: filepath.Join(dir, "work"), ro: filepath.Join(dir, "ro"), out: filepath.Join(dir, "out"),
		secret: "secret-" + rand.Text(), hidden: "hidden-" + rand.Text(), size: 100_000 + mathrand.IntN(60_000),
		newHost: func(o *host.Options) (target, error) { return host.New(o) }, cache: cache,
		whys: map[string]int{},
	}
	for path, text := range map[string]string{
		"work/control":         "control",
		"work/loot":            "loot",
		"work/a/b/inside":      "inside",
		"ro/file":              "read only",
		"ro/sub/file":          "read only",
		"out/canary":           w.secret + strings.Repeat(".", w.size-len(w.secret)),
		"out/dir/" + w.hidden:  "x",
		"work-beside/canary":   w.secret,
		"work-beside/dir/file": "x",
	} {
		if err := w.write(path, text); err != nil {
			return nil, err
		}
	}
	w.open = []string{w.work, w.ro}
	w.guard(w.out)
	w.guard(w.ro)
	w.guard(filepath.Join(dir, "work-beside"))
	return w, nil
}

// write makes a file below dir, and the directories on its way.
func (w *world) write(path, text string) error {
	path = filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// must skips the vector when it cannot be set up.
func (w *world) must(err error) {
	if err != nil {
		panic(skipped{err})
	}
}

// skip ends the vector: it cannot be tried here.
func (w *world) skip(format string, args ...any) { panic(skipped{fmt.Errorf(format, args...)}) }

// through notes evidence that an attack got through. Of each kind of evidence, which
// is what the format says, the first is kept.
func (w *world) through(format string, args ...any) {
	for i := range w.evidence {
		if w.evidence[i].kind == format {
			w.evidence[i].more++
			return
		}
	}
	w.evidence = append(w.evidence, evidence{kind: format, text: fmt.Sprintf(format, args...)})
}

// stopped notes which wall stopped the attack, and what was seen.
func (w *world) stopped(wall, format string, args ...any) {
	w.wall, w.detail = wall, fmt.Sprintf(format, args...)
}

// host starts a host that the world closes. It does not wait for the disk: no wall is
// made of that.
func (w *world) host(change func(*host.Options)) target {
	o := &host.Options{CacheDir: w.cache, StateDir: filepath.Join(w.dir, "state"), Spares: -1, NoSync: true}
	if change != nil {
		change(o)
	}
	h, err := w.newHost(o)
	w.must(err)
	w.hosts = append(w.hosts, h)
	return h
}

// grant is the usual one: work for writing, ro for reading.
func (w *world) grant() *tool.Grant {
	return &tool.Grant{Workspace: w.work, Paths: []tool.PathGrant{{Path: w.work, Write: true}, {Path: w.ro}}}
}

// bind loads a module and binds its one tool.
func (w *world) bind(ctx context.Context, h target, wasm []byte, name string, g *tool.Grant) tool.Tool {
	w.must(h.Load(ctx, name, wasm, nil))
	b, err := h.Bind(ctx, name, g)
	w.must(err)
	return b
}

// puppet binds the puppet, after it has shown that it can do something.
func (w *world) puppet(ctx context.Context, h target, g *tool.Grant) tool.Tool {
	p := w.bind(ctx, h, testdata.Puppet, "puppet", g)
	w.control(ctx, p)
	return p
}

// control skips the vector unless the puppet can read and write what it was
// granted, by both ways.
func (w *world) control(ctx context.Context, puppet tool.Tool) {
	file := filepath.Join(w.work, "control")
	made := filepath.Join(w.work, "made")
	got, err := play(ctx, puppet,
		request(`{"op":"read"}`, file),
		step{op: opOpen, c: rightRead, one: wasiPath(file)}, step{op: opRead, a: 4, b: 64}, step{op: opClose, a: 4},
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, made, "made"),
	)
	w.must(err)
	read := answerOf(got[0])
	text, err := os.ReadFile(made)
	if len(read.attachments) != 1 || string(read.attachments[0]) != "control" || string(got[2].data) != "control" || err != nil || string(text) != "made" {
		w.skip("the guest cannot even use the files it was granted: read: %s; over WASI: %d, %q; write: %s",
			read.Error.Message, got[1].code, got[2].data, answerOf(got[4]).Error.Message)
	}
}

// attempt tries a vector in the world and judges it.
func (w *world) attempt(ctx context.Context, v vector) (r Result) {
	began := time.Now()
	r = Result{ID: v.id, Title: v.title}
	before := takeResources()
	why := w.run(ctx, v)
	why = errors.Join(why, w.close(ctx))
	w.judgeFiles()
	if !w.spoilt {
		w.judgeLeaks(ctx, before)
	}
	r.TookMS = time.Since(began).Milliseconds()
	switch {
	case len(w.evidence) > 0:
		r.Outcome, r.Detail = Through, join(w.evidence)
	case ctx.Err() != nil:
		r.Outcome, r.Detail = NotTried, "interrupted"
	case why != nil:
		r.Outcome, r.Detail = NotTried, why.Error()
	case w.wall == "":
		r.Outcome, r.Detail = NotTried, "nothing was seen"
	default:
		r.Outcome, r.Wall, r.Detail = Stopped, w.wall, w.detail
	}
	r.Wall, r.Detail = w.short(r.Wall), w.short(r.Detail)
	return r
}

func join(all []evidence) string {
	var texts []string
	for _, e := range all {
		texts = append(texts, e.String())
	}
	return strings.Join(texts, "; ")
}

// short leaves out of a text where the world lies.
func (w *world) short(text string) string { return strings.ReplaceAll(text, w.dir, "") }

// run tries the vector. A panic is one of the host's in this goroutine: others end
// the process, which Run sees.
func (w *world) run(ctx context.Context, v vector) (why error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case skipped:
			why = p.error
		default:
			w.through("the host panicked: %v", p)
		}
	}()
	v.try(ctx, w)
	return nil
}

// close closes the hosts, and judges whether that is possible.
func (w *world) close(ctx context.Context) error {
	hosts := w.hosts
	w.hosts = nil
	if len(hosts) == 0 || w.spoilt {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.hang)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var errs []error
		for _, h := range hosts {
			errs = append(errs, h.Close(ctx))
		}
		done <- errors.Join(errs...)
	}()
	hung := time.NewTimer(2 * w.hang)
	defer hung.Stop()
	select {
	case err := <-done:
		return err
	case <-hung.C:
		w.through("the host cannot be closed, something in it goes on")
		w.spoilt = true
		return nil
	}
}

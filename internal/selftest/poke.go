package selftest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ohhost/ohhost/tool"
)

// wasiPath is a path as a guest gives it to WASI: relative to the root.
func wasiPath(path string) string { return strings.TrimPrefix(path, "/") }

// looks are all ways to look at a path.
func looks(path string) []step {
	rel := wasiPath(path)
	return []step{
		request(`{"op":"stat","follow":true}`, path),
		request(`{"op":"realpath"}`, path),
		request(`{"op":"list","follow":true}`, path),
		request(`{"op":"read"}`, path),
		request(`{"op":"read","decode":true}`, path),
		{op: opOpen, c: rightRead, one: rel}, {op: opRead, a: 4, b: 1 << 16}, {op: opClose, a: 4},
		{op: opOpen, a: oDirectory, c: rightRead | rightReadDir, one: rel}, {op: opReadDir, a: 4, b: 1 << 16}, {op: opClose, a: 4},
		{op: opStat, one: rel},
	}
}

// changes are all ways to change a path, and those that remove it at the end; loot
// is a file that may be moved to it.
func changes(path, loot string) []step {
	rel := wasiPath(path)
	open := func(oflags, fdflags uint32) []step {
		return []step{
			{op: opOpen, a: oflags, b: fdflags, c: rightRead | rightWrite, one: rel},
			{op: opWrite, a: 4, one: "overwritten"}, {op: opClose, a: 4},
		}
	}
	steps := []step{
		{op: opSetTimes, c: 1e9, one: rel},
		{op: opOpen, c: rightRead, one: rel}, {op: opAllocate, a: 4, c: 1 << 20}, {op: opSetSize, a: 4}, {op: opSetFDTimes, a: 4, c: 1e9}, {op: opClose, a: 4},
		{op: opMkdir, one: rel + "/newdir"},
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, path, "overwritten"),
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, path+"/new", "made"),
		request(`{"op":"apply","changes":[{"op":"mkdir","path":0}]}`, path+"/newdir"),
		request(`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,0,1]]}]}`, path, "inserted"),
		request(`{"op":"apply","changes":[{"op":"undo","path":0,"undo":0}]}`, path),
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, loot, path),
		{op: opRename, one: wasiPath(loot), two: rel},
		{op: opSymlink, one: "/etc/passwd", two: rel},
	}
	for _, oflags := range []uint32{0, oCreat, oTrunc, oCreat | oTrunc, oCreat | oExcl} {
		steps = append(steps, open(oflags, 0)...)
	}
	return append(steps, open(0, fdAppend)...)
}

// removes are all ways to take a path away; stolen is where to.
func removes(path, stolen string) []step {
	return []step{
		{op: opLink, one: wasiPath(path), two: wasiPath(stolen) + "-linked"},
		{op: opRename, one: wasiPath(path), two: wasiPath(stolen) + "-renamed"},
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, path, stolen),
		request(`{"op":"apply","changes":[{"op":"delete","path":0}]}`, path),
		{op: opUnlink, one: wasiPath(path)},
		{op: opRmdir, one: wasiPath(path)},
	}
}

// poke has the puppet look at paths that lead outside, and change them, in every
// way there is. What the guest learns is judged here, what it changes by the world.
// Only what is spelt as a path of this world is changed, whatever it leads to: a
// hole must not cost the user a file.
func (w *world) poke(ctx context.Context, puppet tool.Tool, paths ...string) {
	for _, path := range paths {
		w.look(ctx, puppet, path, looks(path))
	}
	ours := func(path string) bool { return strings.Contains(path, w.dir) }
	for _, path := range paths {
		if ours(path) {
			w.look(ctx, puppet, path, changes(path, filepath.Join(w.work, "loot")))
		}
	}
	for i, path := range paths {
		if ours(path) {
			w.look(ctx, puppet, path, removes(path, filepath.Join(w.work, fmt.Sprint("stolen", i))))
		}
	}
}

// look plays steps about a path and judges what the guest has learnt.
func (w *world) look(ctx context.Context, puppet tool.Tool, path string, steps []step) {
	got, err := play(ctx, puppet, steps...)
	w.must(err)
	for i, r := range got {
		w.judgeReply(path, &steps[i], r)
	}
}

// judgeReply notes what a guest learns from one reply about a path outside.
func (w *world) judgeReply(path string, s *step, r reply) {
	w.tried++
	if what := w.leaks(s, r); what != "" && !w.maySee {
		w.through("the guest has "+what+", through %q", path)
	}
	if s.op != opInvoke {
		if r.code < 0 {
			w.denied++
		}
		return
	}
	a := answerOf(r)
	switch {
	case a.Error.Kind == "":
		if strings.Contains(s.one, `"realpath"`) && len(a.attachments) == 1 && !w.granted(string(a.attachments[0])) {
			w.through("the guest has learnt that %q leads to %q", path, a.attachments[0])
		}
		return
	case a.Error.Kind == "denied":
		w.whys[a.Error.Message]++
	}
	w.denied++
}

// granted reports whether a resolved path lies in what is granted.
func (w *world) granted(path string) bool {
	return slices.ContainsFunc(w.open, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// jailed says that the jail stopped what was poked at, by the rule that it named
// most often.
func (w *world) jailed() {
	rule := ""
	for why, n := range w.whys {
		if n > w.whys[rule] || n == w.whys[rule] && why < rule {
			rule = why
		}
	}
	if rule == "" {
		w.skip("the jail refused nothing, and nothing was seen")
	}
	w.stopped("jail: "+strings.TrimPrefix(rule, "it is "), "%d of %d requests were refused, the rest led nowhere", w.denied, w.tried)
}

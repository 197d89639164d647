package selftest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ohhost/ohhost/tool"
)

// tryF6 lets a directory and a link that leads outside trade places, and a directory
// move outside and back, while the guest goes through them.
func tryF6(ctx context.Context, w *world) {
	at := func(name string) string { return filepath.Join(w.dir, name) }
	w.must(w.write("work/x/canary", "inside"))
	w.must(w.write("work/m/q/file", "inside"))
	w.must(w.write("work/canary", "inside")) // what m/q/../../canary is
	w.must(w.write("away/canary", w.secret)) // and what it is while m is in away
	w.must(os.Symlink("../out", at("work/link")))
	p := w.puppet(ctx, w.host(nil), w.grant())

	stop := make(chan struct{})
	var swaps int
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			swap(at("work/x"), at("work/link"))
			if os.Rename(at("work/m"), at("away/m")) == nil {
				_ = os.Rename(at("away/m"), at("work/m"))
			}
			swaps++
		}
	})
	inside := w.raceWith(ctx, p)
	close(stop)
	swapping.Wait()
	w.must(ctx.Err())
	if _, err := os.Lstat(at("away/new")); err == nil {
		w.through("a file was made in a directory that had been moved outside")
	}
	if w.denied == 0 || inside == 0 {
		w.skip("in %d tries the guest never met the link, or never the directory", w.tried)
	}
	w.jailed()
	w.detail += "; " + counted(swaps, "swap")
}

// raceWith has the guest go through what is swapped until the time is over, and
// returns how many of its looks led inside.
func (w *world) raceWith(ctx context.Context, p tool.Tool) (inside int) {
	x, m := filepath.Join(w.work, "x"), filepath.Join(w.work, "m/q")
	again := func(s step, needle string) step {
		s.a, s.two = 20, needle
		return s
	}
	steps := []step{
		again(request(`{"op":"read"}`, x+"/canary"), w.secret),
		again(request(`{"op":"read"}`, m+"/../../canary"), w.secret),
		again(request(`{"op":"list"}`, x+"/dir"), w.hidden),
		again(request(`{"op":"stat","follow":true}`, x+"/dir"), `"size"`),
		{op: opOpen, c: rightRead, one: wasiPath(x + "/canary")}, {op: opRead, a: 4, b: 1 << 16}, {op: opClose, a: 4},
		{op: opOpen, a: oCreat, c: rightWrite, one: wasiPath(x + "/new")}, {op: opClose, a: 4},
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, x+"/canary", "inside"),
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, m+"/../../new", "made"),
		request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, x+"/dir/new", "made"),
	}
	for end := time.Now().Add(w.race); time.Now().Before(end) && ctx.Err() == nil && len(w.evidence) == 0; {
		got, err := play(ctx, p, steps...)
		w.must(err)
		for i, r := range got {
			w.judgeReply(x, &steps[i], r)
		}
		if a := answerOf(got[3]); a.Error.Kind == "" {
			w.through("the guest has found a directory outside")
		}
		if a := answerOf(got[0]); a.Error.Kind == "" {
			inside++
		}
		w.tried += 4 * 19
	}
	return inside
}

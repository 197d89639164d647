package selftest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// tryF13 reads a file of 1 TiB, lists a directory with too many entries, and writes
// until it is told to stop.
func tryF13(ctx context.Context, w *world) {
	const entries, written = 100, 256 << 10
	h := w.host(func(o *host.Options) {
		o.Limits.ListEntries, o.Limits.WrittenBytes, o.Limits.WrittenFiles = entries, written, 50
	})
	p := w.puppet(ctx, h, w.grant())
	var seen []string

	huge := filepath.Join(w.work, "huge")
	w.must(os.WriteFile(huge, nil, 0o644))
	if err := os.Truncate(huge, 1<<40); err == nil {
		w.readHuge(ctx, p, huge)
		seen = append(seen, "1 TiB was not read")
	} else {
		seen = append(seen, "no file of 1 TiB here: "+err.Error())
	}
	w.must(os.Remove(huge))

	for i := range entries + 20 {
		w.must(w.write(fmt.Sprintf("work/many/%d", i), ""))
	}
	many := filepath.Join(w.work, "many")
	got, err := play(ctx, p,
		request(`{"op":"list"}`, many), request(`{"op":"list","max":9223372036854775807}`, many),
		step{op: opOpen, a: oDirectory, c: rightRead | rightReadDir, one: wasiPath(many)}, step{op: opReadDir, a: 4, b: 1 << 20}, step{op: opClose, a: 4})
	w.must(err)
	for _, r := range got[:2] {
		if a := answerOf(r); a.Error.Kind == "" {
			w.through("a directory of %d entries was listed, the limit is %d", entries+20, entries)
		}
	}
	if n := strings.Count(string(got[3].data), "\x04"); n > entries+2 {
		w.through("WASI listed %d entries, the limit is %d", n, entries)
	}

	most := w.flood(ctx, p, written)
	w.stopped("limits: size of a read, entries of a list, files and bytes written by a call",
		"%s; a call wrote %d bytes of the %d that it tried", strings.Join(seen, "; "), most, 2*written)
}

// readHuge reads a file that is larger than all memory, everywhere.
func (w *world) readHuge(ctx context.Context, p tool.Tool, huge string) {
	steps := append(looks(huge),
		request(`{"op":"read","max":9223372036854775807}`, huge),
		request(`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,0,1]]}]}`, huge, "x"),
	)
	var end ending
	grown := w.grows(func() { end = w.call(ctx, p, w.hang, script(steps)) })
	w.must(end.err)
	w.tooMuch(grown, 0, "reading a file of 1 TiB")
	if info, err := os.Stat(huge); err != nil || info.Size() != 1<<40 {
		w.through("a file of 1 TiB was changed")
	}
}

// flood has calls write files and state, twice as much as they may, and returns how
// much of files the one wrote that wrote most.
func (w *world) flood(ctx context.Context, p tool.Tool, limit int64) (most int64) {
	piece := strings.Repeat("x", int(limit/16))
	put := func(i int) step {
		return request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, filepath.Join(w.work, fmt.Sprint("new", i)), piece)
	}
	keep := request(`{"op":"put","name":"x"}`, piece)
	keep.one = strings.Replace(keep.one, `"files"`, `"state"`, 1)
	one := func(i int) step { return put(i % 2) } // again and again the same file
	for _, kind := range []func(i int) step{put, one, func(i int) step {
		if i%2 == 0 {
			return keep
		}
		return put(100 + i)
	}} {
		before := w.inWork("new")
		wrote := int64(0)
		var steps []step
		for i := range 32 {
			steps = append(steps, kind(i))
		}
		got, err := play(ctx, p, steps...)
		w.must(err)
		for _, r := range got {
			if answerOf(r).Error.Kind == "" {
				wrote += limit / 16
			}
		}
		wrote = max(wrote, w.inWork("new")-before)
		if wrote > limit {
			w.through("one call wrote %d bytes, the limit is %d", wrote, limit)
		}
		most = max(most, wrote)
	}
	return most
}

// inWork is how many bytes the files of the workspace have whose names begin so.
func (w *world) inWork(prefix string) (n int64) {
	_ = filepath.WalkDir(w.work, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasPrefix(d.Name(), prefix) {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

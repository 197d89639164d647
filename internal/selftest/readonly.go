package selftest

import (
	"context"
	"os"
	"path/filepath"
)

// tryF7 gives files that must not be written a second name in the workspace.
func tryF7(ctx context.Context, w *world) {
	at := func(name string) string { return filepath.Join(w.work, name) }
	w.maySee = true // what a hard link in the workspace leads to is in the workspace
	if err := os.Link(filepath.Join(w.out, "canary"), at("hard")); err != nil {
		w.skip("this file system has no hard links: %v", err)
	}
	w.guards[0].before = snapshot(w.out)
	p := w.puppet(ctx, w.host(nil), w.grant())
	ro := filepath.Join(w.ro, "file")
	put := func(name string) step {
		return request(`{"op":"apply","changes":[{"op":"put","path":0,"data":1}]}`, at(name), "overwritten")
	}
	w.look(ctx, p, ro, []step{
		{op: opLink, one: wasiPath(ro), two: wasiPath(at("l1"))},
		{op: opLink, one: wasiPath(w.out + "/canary"), two: wasiPath(at("l2"))},
		{op: opRename, one: wasiPath(ro), two: wasiPath(at("r1"))},
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, ro, at("m1")),
		request(`{"op":"apply","changes":[{"op":"link","path":0,"to":1}]}`, ro, at("l3")),
		put("l1"), put("l2"), put("l3"), put("r1"), put("m1"),
		request(`{"op":"apply","changes":[{"op":"edit","path":0,"splices":[[0,6,1]]}]}`, at("hard"), "edited"),
		put("hard"),
	})
	if b, err := os.ReadFile(at("hard")); err != nil || string(b) != "overwritten" {
		w.skip("the file with two names could not be written at all")
	}
	w.must(os.Remove(at("hard")))
	w.must(os.Link(filepath.Join(w.out, "canary"), at("hard")))
	w.look(ctx, p, at("hard"), changes(at("hard"), at("loot")))
	w.stopped("WASI is read-only; a change replaces a file and leaves its other names alone", "%d of %d requests were refused", w.denied, w.tried)
}

// tryF8 opens what is granted for reading in every way that writes.
func tryF8(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	loot := filepath.Join(w.work, "loot")
	for _, path := range []string{"file", "sub/file", "missing", "sub"} {
		w.look(ctx, p, path, changes(filepath.Join(w.ro, path), loot))
	}
	for _, path := range []string{"file", "sub/file"} {
		w.look(ctx, p, path, removes(filepath.Join(w.ro, path), filepath.Join(w.work, "stolen")))
	}
	w.jailed()
}

// tryF9 changes read-only files by what is not their content, and by handles.
func tryF9(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	loot, file, sub := filepath.Join(w.work, "loot"), filepath.Join(w.ro, "file"), filepath.Join(w.ro, "sub")
	write := func(fd uint32) step { return step{op: opWrite, a: fd, one: "overwritten"} }
	w.look(ctx, p, file, []step{
		{op: opOpen, c: rightRead, one: wasiPath(file)},                              // 4
		{op: opOpen, a: oDirectory, c: rightRead | rightReadDir, one: wasiPath(sub)}, // 5
		write(4), write(5),
		{op: opAllocate, a: 4, c: 1 << 20}, {op: opSetSize, a: 4}, {op: opSetFDTimes, a: 4, c: 1e9}, {op: opSetFDTimes, a: 5, c: 1e9},
		{op: opSetTimes, c: 1e9, one: wasiPath(file)}, {op: opSetTimes, c: 1e9, one: wasiPath(sub)},
		{op: opRename, one: wasiPath(loot), two: wasiPath(sub) + "/moved"}, {op: opRename, one: wasiPath(loot), two: wasiPath(file)},
		{op: opRename, one: wasiPath(sub), two: wasiPath(w.work) + "/sub"},
		{op: opMkdir, one: wasiPath(sub) + "/new"}, {op: opUnlink, one: wasiPath(file)}, {op: opRmdir, one: wasiPath(sub)},
		{op: opRenumber, a: 4, b: 3}, write(3), {op: opOpen, c: rightRead | rightWrite, one: wasiPath(file)}, write(6), // file in place of the root
		{op: opRenumber, a: 5, b: 1}, write(1), write(5),
		{op: opRenumber, a: 1, b: 4}, write(4), {op: opSetSize, a: 3}, {op: opSetSize, a: 4},
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, loot, sub+"/moved"),
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, sub+"/file", loot),
		request(`{"op":"apply","changes":[{"op":"mkdir","path":0}]}`, sub+"/new"),
	})
	w.jailed()
}

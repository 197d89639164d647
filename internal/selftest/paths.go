package selftest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tryF1 spells the canary in ways that a check of the text of a path gets wrong.
func tryF1(ctx context.Context, w *world) {
	canary := w.out + "/canary"
	up := strings.Repeat("../", 40)
	w.poke(ctx, w.puppet(ctx, w.host(nil), w.grant()),
		canary, "//"+canary, w.out, w.out+"/dir", w.dir, "/",
		w.work+"/../out/canary", w.work+"/..", w.work+"/a/../../out/canary", w.work+"//..//out//canary", w.work+"/./.././out/./canary",
		w.work+"/a/b/../../../out/dir", w.work+"/missing/../../out/canary", w.work+"/control/../../out/canary",
		w.work+"/"+up+wasiPath(canary), up+wasiPath(canary), "/.."+canary,
		w.work+"-beside/canary", w.work+"-beside", w.work+"/../work-beside/canary",
		"..", ".", "", "../out/canary", "out/canary", wasiPath(canary), "~", "~/.ssh/id_rsa",
		w.work+`\..\out\canary`, w.work+`/..\out\canary`, `C:`+canary, "file://"+canary, w.work+"/%2e%2e/out/canary", w.work+"/..%2fout%2fcanary",
		canary+"\x00", w.work+"/control\x00/../../out/canary", w.work+"\x00"+canary, "\x00",
		canary+"/", canary+"/.", w.work+strings.Repeat("/.", 1500)+"/../out/canary",
		w.work+strings.Repeat("/.", 5000)+"/../out/canary", w.work+"/"+strings.Repeat("n", 256)+"/../../out/canary", "/"+strings.Repeat("n", 4095),
	)
	w.jailed()
}

// tryF2 makes links as a guest can, and moves one so that it leads elsewhere.
func tryF2(ctx context.Context, w *world) {
	w.must(os.Symlink("../out", filepath.Join(w.work, "a/up"))) // to work/out, which is missing
	p := w.puppet(ctx, w.host(nil), w.grant())
	at := func(name string) string { return filepath.Join(w.work, name) }
	got, err := play(ctx, p,
		step{op: opSymlink, one: "../out", two: wasiPath(at("made"))},
		step{op: opSymlink, one: w.out, two: wasiPath(at("made-absolute"))},
		step{op: opLink, one: wasiPath(w.out), two: wasiPath(at("made-hard"))},
		step{op: opRename, one: wasiPath(at("a/up")), two: wasiPath(at("up"))},
		request(`{"op":"apply","changes":[{"op":"symlink","path":0,"data":1}]}`, at("linked"), "../out"),
		request(`{"op":"apply","changes":[{"op":"move","path":0,"to":1}]}`, at("a/up"), at("up")), // now to out
	)
	w.must(err)
	moved := "the host does not move links"
	if answerOf(got[5]).Error.Kind == "" {
		moved = "one that was moved leads nowhere"
	}
	for _, link := range []string{"made", "made-absolute", "linked", "up", "a/up"} {
		if link == "made" {
			continue // out/made would be the file that control made
		}
		w.poke(ctx, p, at(link), at(link)+"/canary", at(link)+"/dir", at(link)+"/../out/canary")
	}
	w.jailed()
	w.detail = fmt.Sprintf("no links can be made, and %s; %s", moved, w.detail)
}

// tryF3 goes through links that somebody else has put into the workspace.
func tryF3(ctx context.Context, w *world) {
	links := map[string]string{
		"relative": "../out", "absolute": w.out, "file": w.out + "/canary", "dangling": "../out/new", "deep": "../out/dir/new/er",
		"loop1": "loop2", "loop2": "loop1", "self": "self/x", "through": "a/../relative/canary", "a/back": "../../out",
	}
	last := "../out/canary"
	for i := range 45 {
		links[fmt.Sprint("chain", i)] = last
		last = fmt.Sprint("chain", i)
	}
	for name, to := range links {
		w.must(os.Symlink(to, filepath.Join(w.work, name)))
	}
	var paths []string
	for _, p := range []string{
		"relative", "relative/canary", "relative/dir", "relative/new", "absolute", "absolute/canary", "absolute/dir", "file", "dangling", "deep",
		"loop1", "loop1/canary", "self", "through", "a/back/canary", "relative/../work/../out/canary", "relative/../out/dir",
		"chain5", "chain38", "chain39", "chain44",
	} {
		paths = append(paths, w.work+"/"+p)
	}
	w.poke(ctx, w.puppet(ctx, w.host(nil), w.grant()), paths...)
	w.jailed()
}

// tryF4 puts behind a link what makes some resolve it after the check.
func tryF4(ctx context.Context, w *world) {
	for name, to := range map[string]string{
		"o": "../out", "slash": "../out/", "f": "../out/canary", "fslash": "../out/canary/", "in": "a/b", "dot": "../out/.", "back": "a/b/../../../out",
	} {
		w.must(os.Symlink(to, filepath.Join(w.work, name)))
	}
	var paths []string
	for _, p := range []string{
		"o/", "o//", "o/.", "o/./", "o/./canary", "o//canary", "o/..", "o/../out", "o/../out/canary", "o/dir/", "o/dir/.", "o/dir/..",
		"slash", "slash/", "slash/canary", "f", "f/", "f/.", "f/..", "fslash", "fslash/", "dot", "dot/", "dot/canary", "back", "back/", "back/canary",
		"in/../../../out/canary", "in/../../../out/dir/", "in/./../../../out/.",
	} {
		paths = append(paths, w.work+"/"+p)
	}
	w.poke(ctx, w.puppet(ctx, w.host(nil), w.grant()), paths...)
	w.jailed()
}

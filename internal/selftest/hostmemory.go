package selftest

import (
	"context"
	"path/filepath"
	"strings"
)

// tryR13 asks, with few bytes, for what takes the host many.
func tryR13(ctx context.Context, w *world) {
	p := w.puppet(ctx, w.host(nil), w.grant())
	file := filepath.Join(w.work, "control")
	many := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	apply := func(changes, more string) string { return `{"op":"apply","changes":[` + changes + `]` + more + `}` }
	piece := strings.Repeat("x", 64<<10)
	kinds := map[string]step{
		"many changes of the same text":     request(apply(many(`{"op":"put","path":0,"data":1}`, 9000), ""), file, piece),
		"many splices of the same text":     request(apply(`{"op":"edit","path":0,"splices":[`+many("[0,0,1]", 50_000)+`]}`, ""), file, piece),
		"many values of state":              request(apply("", `,"state":[`+many(`{"name":"x","data":1}`, 20_000)+`]`), file, piece),
		"many empty changes":                request(apply(many("{}", 200_000), "")),
		"nesting of 200000 levels":          request(`{"op":"apply","changes":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`),
		"a million values":                  request(`{"op":"stat","x":[`+many("0", 400_000)+`]}`, file),
		"many attachments":                  request(`{"op":"stat"}`, append([]string{file}, make([]string, 60_000)...)...),
		"a read of all there is":            request(`{"op":"read","max":9223372036854775807}`, "/"),
		"a long path":                       request(`{"op":"realpath"}`, strings.Repeat("/x", 200_000)),
		"a path of dots":                    request(`{"op":"stat"}`, file+strings.Repeat("/..", 1300)),
		"an undo history under a long name": request(apply(`{"op":"put","path":0,"data":0,"undo":1}`, ""), file, piece),
	}
	for what, s := range kinds {
		s.a, s.two = 3, "no answer has this"
		var e ending
		grown := w.grows(func() { e = w.call(ctx, p, w.hang, script([]step{s})) })
		w.must(e.err)
		w.tooMuch(grown, 32<<20, what)
	}
	w.stopped("services: limits of a request, before it is carried out", "%d kinds of requests took no more memory than they may", len(kinds))
}

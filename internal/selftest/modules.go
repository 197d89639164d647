package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
)

// describing is a plugin that describes itself as having these tools.
func describing(tools ...string) g.Plugin {
	return g.Plugin{Description: `{"abi":"ohhost_v1","tools":[` + strings.Join(tools, ",") + `]}`}
}

// described is a tool with more members than it needs.
func described(name, more string) string {
	quoted, err := json.Marshal(name)
	if err != nil {
		panic(err) // names are ours
	}
	return `{"name":` + string(quoted) + `,"annotations":{},"needs":{},` + more + `}`
}

const usualMembers = `"description":"x","inputSchema":{"type":"object"}`

// tryA4 describes tools wrongly.
func tryA4(ctx context.Context, w *world) {
	const schema = `"inputSchema":{"type":"object"}`
	var trials []trial
	for what, p := range map[string]g.Plugin{
		"a schema that is no object":           describing(described("made", `"description":"x","inputSchema":"any"`)),
		"a schema that is no JSON":             describing(described("made", `"description":"x","inputSchema":{]`)),
		"a schema of 2 MB":                     describing(described("made", `"description":"x","inputSchema":{"x":"`+strings.Repeat("x", 2<<20)+`"}`)),
		"a description of 1 MB":                describing(described("made", schema+`,"description":"`+strings.Repeat("x", 1<<20)+`"`)),
		"control characters in a description":  describing(described("made", schema+`,"description":"\u001b]52;c;x\u0007"`)),
		"a description given twice":            describing(described("made", schema+`,"description":"x","description":"y"`)),
		"names of members in another case":     describing(described("made", `"description":"x","INPUTSCHEMA":{"type":"object"}`)),
		"needs that there are none of":         describing(`{"name":"made","annotations":{},"needs":{"files":"everything"},` + usualMembers + `}`),
		"another version":                      {Description: `{"abi":"ohhost_v2","tools":[` + described("made", usualMembers) + `]}`},
		"something behind the description":     {Description: `{"abi":"ohhost_v1","tools":[` + described("made", usualMembers) + `]}{}`},
		"nesting of 100000 levels in a schema": describing(described("made", `"description":"x","inputSchema":{"x":`+strings.Repeat("[", 1e5)+strings.Repeat("]", 1e5)+`}`)),
	} {
		trials = append(trials, trial{what, p.Bytes()})
	}
	w.refused(ctx, describing(described("made", usualMembers)), trials...)
	detail := w.detail
	hidden := describing(described("made", schema+`,"description":"harmless\udb40\udc69\udb40\udc67\u202ekcehc"`))
	if info, err := host.Inspect(ctx, hidden.Bytes()); err == nil && len(info.Hidden()) == 0 {
		w.through("text that does not show is not reported")
	}
	w.stopped("checker of descriptions", "%s; text that does not show is reported by `plugin inspect`", detail)
}

// tryA5 names tools like others, and in ways that cannot be shown.
func tryA5(ctx context.Context, w *world) {
	tools := func(names ...string) g.Plugin {
		for i := range names {
			names[i] = described(names[i], usualMembers)
		}
		return describing(names...)
	}
	var trials []trial
	for _, name := range []string{"", "a b", "a\x1b[31m", "../made", "m\u0430de", "made\u200b", strings.Repeat("x", 65)} {
		p := tools(name)
		trials = append(trials, trial{fmt.Sprintf("a tool named %.20q", name), p.Bytes()})
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprint("tool", i)
	}
	twice, crowd, sound := tools("a", "a"), tools(many...), tools("a", "b")
	w.refused(ctx, sound, append(trials, trial{"a name twice", twice.Bytes()}, trial{"10000 tools", crowd.Bytes()})...)
	detail := w.detail
	h := w.host(nil)
	w.must(h.Load(ctx, "first", sound.Bytes(), nil))
	first := h.Specs()
	if err := h.Load(ctx, "second", sound.Bytes(), nil); err == nil {
		w.through("two modules have a tool of the same name")
	}
	if second := h.Specs(); len(first) != 2 || len(second) != 2 || first[0] != second[0] {
		w.through("what tools there are has changed from one look to the next")
	}
	w.stopped("checker of descriptions", "%s; a name that is taken is refused", detail)
}

// tryS7 imports what no plugin gets.
func tryS7(ctx context.Context, w *world) {
	var trials []trial
	for _, im := range []imported{
		{"env", "system", []byte{i32}, []byte{i32}}, {"", "", nil, nil}, {"ohhost_meter", "yield", []byte{i64}, []byte{i64}},
		{abi.Version, "exec", nil, nil}, {abi.Version + "\x00", "output", []byte{i32, i32}, nil}, {abi.Version, "output", []byte{i32}, []byte{i32}},
		{abi.WASI, "proc_exec", nil, nil}, {abi.WASI, "fd_close", []byte{i64}, []byte{i32}}, {"wasi_unstable", "fd_close", []byte{i32}, []byte{i32}},
	} {
		trials = append(trials, trial{im.module + "." + im.name, (&g.Plugin{Imports: imports(im)}).Bytes()})
	}
	w.refused(ctx, g.Plugin{Imports: imports(imported{abi.WASI, "fd_close", []byte{i32}, []byte{i32}})}, trials...)
	w.stopped("loader: only the listed imports", "%s", w.detail)
}

// tryS8 are modules whose parts lie about themselves, or run before they may.
func tryS8(ctx context.Context, w *world) {
	w.bombs(ctx, "S8")
	w.stopped("checker of modules", "%s", w.detail)
}

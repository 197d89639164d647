package selftest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/host/codecache"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// What the plugins of these vectors answer: four letters that are a constant in
// their code.
const fair, evil = "fair", "evil"

// answering is a plugin that answers a word of four letters.
func answering(word string) []byte {
	const at = 4096
	answer := frame(`{"result":{"content":[{"type":"text","text":"????"}],"is_error":false}}`)
	letters := int32(binary.LittleEndian.Uint32([]byte(word)))
	p := g.Plugin{
		Call: code(num(int32(at+strings.Index(answer, "????"))), num(letters), g.Op(g.I32Store, 0, 0),
			call(g.FuncOutput, at, int32(len(answer))), num(0), []byte{g.Return}),
		More: func(b *g.Builder) { b.Data(num(at), []byte(answer)) },
	}
	return p.Bytes()
}

// A den is where a host keeps its compiled plugins, and the key to them.
type den struct{ cache, state string }

func (w *world) den(name string) den {
	return den{filepath.Join(w.dir, name, "cache"), filepath.Join(w.dir, name, "state")}
}

func (d den) code() string { return filepath.Join(d.cache, "code") }

func (d den) entry(name string) string { return filepath.Join(d.code(), name+".entry") }

// says runs the plugin with a host that lives in the den and returns what it answers,
// or why it does not.
func (w *world) says(ctx context.Context, d den, wasm []byte) string {
	h := w.host(func(o *host.Options) { o.CacheDir, o.StateDir = d.cache, d.state })
	e := w.watch(ctx, w.hang, func(ctx context.Context) (*abi.Result, error) {
		if err := h.Load(ctx, "made", wasm, nil); err != nil {
			return nil, err
		}
		b, err := h.Bind(ctx, "made", w.grant())
		if err != nil {
			return nil, err
		}
		return b.Call(ctx, &tool.Call{Args: none})
	})
	w.must(ctx.Err())
	w.must(w.close(ctx))
	if e.err != nil {
		return "error: " + e.err.Error()
	}
	return e.text()
}

// prepared is a den in which the honest plugin was run, and the name of its entry;
// and what the evil one has compiled to.
func (w *world) prepared(ctx context.Context, name string) (d den, entry string, parts [][]byte) {
	if interpreted() {
		w.skip("plugins are interpreted in this build, so that no code is cached")
	}
	d = w.den(name)
	if text := w.says(ctx, d, answering(fair)); text != fair {
		w.skip("the honest plugin does not run: %s", text)
	}
	entry = w.onlyEntry(d, "")
	other := w.den(name + "-evil")
	if text := w.says(ctx, other, answering(evil)); text != evil {
		w.skip("the evil plugin does not run: %s", text)
	}
	c := w.openCache(other)
	defer c.Close()
	compiled, err := c.Load(w.onlyEntry(other, ""))
	w.must(err)
	defer compiled.Close()
	for _, p := range compiled.Parts {
		parts = append(parts, bytes.Clone(p))
	}
	return d, entry, parts
}

func (w *world) openCache(d den) *codecache.Cache {
	c, err := codecache.Open(d.code(), filepath.Join(d.state, "cache.key"), nil)
	w.must(err)
	return c
}

// onlyEntry is the name of the one entry of a den that is not the given one.
func (w *world) onlyEntry(d den, but string) string {
	files, err := filepath.Glob(d.entry("*"))
	w.must(err)
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".entry"); name != but {
			return name
		}
	}
	w.skip("compiled plugins are not kept here")
	return ""
}

// store puts parts under a name, sealed with the den's own key.
func (w *world) store(d den, name string, parts [][]byte) {
	c := w.openCache(d)
	defer c.Close()
	w.must(c.Store(name, parts))
}

// tryS1 puts other code under the honest plugin's name, without the key.
func tryS1(ctx context.Context, w *world) {
	d, name, parts := w.prepared(ctx, "den")
	good, err := os.ReadFile(d.entry(name))
	w.must(err)

	// Who has the key gets through: the attack works but for the wall.
	w.store(d, name, parts)
	if text := w.says(ctx, d, answering(fair)); text != evil {
		w.skip("even with the key, other code does not run: %s", text)
	}
	tried := 0
	poison := func(how string, b []byte) {
		w.must(os.WriteFile(d.entry(name), b, 0o600))
		if text := w.says(ctx, d, answering(fair)); text != fair {
			w.through("%s: the plugin answered %q", how, text)
		}
		tried++
	}
	thief := w.den("thief") // a key of the attacker's own
	w.must(os.MkdirAll(thief.state, 0o700))
	w.must(os.MkdirAll(thief.cache, 0o700))
	w.store(thief, name, parts)
	foreign, err := os.ReadFile(thief.entry(name))
	w.must(err)
	poison("code of another user's cache", foreign)

	w.says(ctx, d, answering(evil))
	other, err := os.ReadFile(d.entry(w.onlyEntry(d, name)))
	w.must(err)
	poison("code of another plugin", other)

	if changed, ok := changeCode(good); ok {
		poison("changed code with the right checksum", changed)
	}
	poison("a file cut short", good[:len(good)/2])
	w.stopped("authenticated cache: MAC", "%d kinds of poisoned entries were not run, but compiled anew", tried)
}

// changeCode replaces the word in the machine code of an entry and makes wazero's
// checksum right again. It reports false where the word is not in one piece. The
// layouts are those of host/codecache and of wazero: "WAZEVO", a version with its
// length, the number of functions (u32), their offsets (u64), the length of the code
// (u64), the code, and its CRC-32C.
func changeCode(entry []byte) ([]byte, bool) {
	le := binary.LittleEndian
	b := bytes.Clone(entry)
	at := bytes.Index(b, []byte("WAZEVO"))
	if at < 0 || at+7 > len(b) {
		return nil, false
	}
	at += 6
	at += 1 + int(b[at])
	if at+4 > len(b) {
		return nil, false
	}
	at += 4 + 8*int(le.Uint32(b[at:]))
	if at+12 > len(b) {
		return nil, false
	}
	n := le.Uint64(b[at:])
	if n > uint64(len(b)-at-12) {
		return nil, false
	}
	machine := b[at+8:][:n]
	sum := b[at+8+int(n):][:4]
	table := crc32.MakeTable(crc32.Castagnoli)
	where := bytes.Index(machine, []byte(fair))
	if where < 0 || crc32.Checksum(machine, table) != le.Uint32(sum) {
		return nil, false
	}
	copy(machine[where:], evil)
	le.PutUint32(sum, crc32.Checksum(machine, table))
	return b, true
}

// tryS2 prepares both the code and the key, in directories that others could have
// prepared so.
func tryS2(ctx context.Context, w *world) {
	if runtime.GOOS == "windows" {
		w.skip("who may write to a directory is not in its mode here")
	}
	bait, name, parts := w.prepared(ctx, "bait")
	w.store(bait, name, parts)
	if text := w.says(ctx, bait, answering(fair)); text != evil {
		w.skip("even in a private directory, other code does not run: %s", text)
	}
	mode := func(dir string, m os.FileMode) { w.must(os.Chmod(dir, m)) }
	ways := map[string]func(top string, d *den){
		"a cache that all can write to":          func(_ string, d *den) { mode(d.code(), 0o777) },
		"a cache that a group can write to":      func(_ string, d *den) { mode(d.code(), 0o770) },
		"a cache in a directory of everybody's":  func(_ string, d *den) { mode(d.cache, 0o777) },
		"a state directory of everybody's":       func(_ string, d *den) { mode(d.state, 0o777) },
		"a key that all can write to":            func(_ string, d *den) { mode(filepath.Join(d.state, "cache.key"), 0o666) },
		"directories in one that is everybody's": func(top string, _ *den) { mode(top, 0o777) },
		"a link in a directory of everybody's": func(top string, d *den) {
			shared := filepath.Join(top, "shared")
			w.must(os.Mkdir(shared, 0o777))
			mode(shared, 0o777)
			w.must(os.Symlink(d.cache, filepath.Join(shared, "cache")))
			w.must(os.Symlink(d.state, filepath.Join(shared, "state")))
			d.cache, d.state = filepath.Join(shared, "cache"), filepath.Join(shared, "state")
		},
	}
	if os.Geteuid() == 0 {
		ways["a cache of another user"] = func(_ string, d *den) { w.must(os.Chown(d.code(), 65534, 65534)) }
		ways["a key of another user"] = func(_ string, d *den) { w.must(os.Chown(filepath.Join(d.state, "cache.key"), 65534, 65534)) }
	}
	i := 0
	for what, unsafe := range ways {
		i++
		top := filepath.Join(w.dir, fmt.Sprint("shared", i))
		d := den{filepath.Join(top, "cache"), filepath.Join(top, "state")}
		w.must(os.CopyFS(d.cache, os.DirFS(bait.cache)))
		w.must(os.CopyFS(d.state, os.DirFS(bait.state)))
		w.must(tighten(top))
		unsafe(top, &d)
		if text := w.says(ctx, d, answering(fair)); text == evil {
			w.through("%s: prepared code was run", what)
		}
	}
	w.stopped("authenticated cache: owner and mode of directories and key", "%s refused", counted(len(ways), "unsafe place"))
}

// tighten gives a copied tree the modes that the host gives it.
func tighten(top string) error {
	return filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
}

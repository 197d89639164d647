// Command wasmbuild is the only builder of the plugins that ohhost embeds. It
// builds each package below plugins/ in a cleared environment, asks the module
// what it offers, and writes the module beside its source and plugins.json
// beside both.
//
//	go generate ./plugins                  build all
//	go run ./internal/wasmbuild -check     build all elsewhere and compare
//
// -check compares bytes where this Go is the one that plugins.json names; a
// module built by another Go differs, so then it says that and compares nothing.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/internal/manifest"
	"github.com/ohhost/ohhost/internal/wasmbuild/build"
)

func main() {
	check := flag.Bool("check", false, "compare the committed modules with new builds, write nothing")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "wasmbuild:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	root, err := build.Root()
	if err != nil {
		return err
	}
	names, err := build.Plugins(root)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "wasmbuild")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var all []manifest.Plugin
	for _, name := range names {
		p, err := one(root, name, tmp)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, p)
	}
	list, err := manifest.Encode(all)
	if err != nil {
		return err
	}
	if check {
		return compare(root, all, list)
	}
	for _, p := range all {
		if err := os.WriteFile(module(root, p.Name), p.Wasm, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes, %s\n", p.Name, len(p.Wasm), p.SHA256[:16])
	}
	return os.WriteFile(filepath.Join(root, "plugins", "plugins.json"), list, 0o644)
}

// one builds a plugin in tmp and describes it.
func one(root, name, tmp string) (manifest.Plugin, error) {
	p := manifest.Plugin{Name: name, Go: runtime.Version()}
	out := filepath.Join(tmp, name+".wasm")
	err := build.Module(root, "./plugins/"+name, out)
	if err != nil {
		return p, err
	}
	if p.Wasm, err = os.ReadFile(out); err != nil {
		return p, err
	}
	sum := sha256.Sum256(p.Wasm)
	p.SHA256 = hex.EncodeToString(sum[:])
	if p.Sources, err = build.Sources(root, "./plugins/"+name); err != nil {
		return p, err
	}
	info, err := host.Inspect(context.Background(), p.Wasm)
	if err != nil {
		return p, err
	}
	p.Tools = info.Tools
	return p, nil
}

func module(root, name string) string {
	return filepath.Join(root, "plugins", name, name+".wasm")
}

func compare(root string, all []manifest.Plugin, list []byte) error {
	committed, err := os.ReadFile(filepath.Join(root, "plugins", "plugins.json"))
	if err != nil {
		return err
	}
	old, err := manifest.Decode(committed)
	if err != nil {
		return err
	}
	for _, p := range old {
		if p.Go != runtime.Version() {
			return fmt.Errorf("%s was built by %s and this is %s: nothing compared; use that version, or go generate ./plugins with this one", p.Name, p.Go, runtime.Version())
		}
	}
	for _, p := range all {
		wasm, err := os.ReadFile(module(root, p.Name))
		if err != nil {
			return err
		}
		if !bytes.Equal(wasm, p.Wasm) {
			return fmt.Errorf("%s.wasm is not what its source builds: run go generate ./plugins", p.Name)
		}
		fmt.Printf("%s: same bytes\n", p.Name)
	}
	if !bytes.Equal(committed, list) {
		return fmt.Errorf("plugins.json is not what the modules say: run go generate ./plugins")
	}
	return nil
}

// Package plugins embeds the plugins that ohhost comes with: the committed
// modules and, in plugins.json, what each one is (its tools with their schemas
// and needs, digests, the Go version that built it), so that a change of any of
// these is text in a review and listing tools compiles nothing.
//
//	for _, p := range plugins.All() {
//		err := host.Load(ctx, p.Name, p.Wasm, p.Tools)
//	}
//
// It does not run them. go generate ./plugins builds them anew (package
// internal/wasmbuild, the only builder).
package plugins

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/ohhost/ohhost/internal/manifest"
)

//go:generate go run github.com/ohhost/ohhost/internal/wasmbuild

//go:embed plugins.json */*.wasm
var files embed.FS

// A Plugin is one embedded module. Its fields must not be changed.
type Plugin = manifest.Plugin

// All returns the embedded plugins, sorted by name.
func All() []Plugin { return all() }

// all panics when an embedded file is broken: a build that the tests of this
// package do not let pass.
var all = sync.OnceValue(func() []Plugin {
	b, err := fs.ReadFile(files, "plugins.json")
	if err != nil {
		panic(err)
	}
	ps, err := manifest.Decode(b)
	if err != nil {
		panic(fmt.Errorf("plugins.json: %w", err))
	}
	for i := range ps {
		ps[i].Wasm, err = fs.ReadFile(files, ps[i].Name+"/"+ps[i].Name+".wasm")
		if err != nil {
			panic(err)
		}
	}
	return ps
})

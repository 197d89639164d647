package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/instrument"
)

// An Inspection is what a module says of itself and what it wants to import.
type Inspection struct {
	Tools   []*abi.Spec
	Imports []string // "wasi_snapshot_preview1.fd_write", sorted
	Exports []string // functions and memories, sorted
	Size    int      // bytes
	SHA256  string   // hex
}

// Inspect compiles a module, checks it as Load does, and asks it for its tools.
// It runs without files, services and a cache on disk.
func Inspect(ctx context.Context, wasm []byte) (_ *Inspection, err error) {
	h, err := New(&Options{NoCache: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	m, err := newModule(h, "module", wasm)
	if err != nil {
		return nil, err
	}
	defer func() { err = m.refuse(ctx, err) }()
	if _, err := m.code(ctx); err != nil {
		return nil, err
	}
	parsed, err := instrument.Parse(wasm, h.opts.Limits.instrument())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(wasm)
	info := &Inspection{Size: len(wasm), SHA256: hex.EncodeToString(sum[:])}
	for _, im := range parsed.Imports() {
		info.Imports = append(info.Imports, im.Module+"."+im.Name)
	}
	for _, e := range parsed.Exports() {
		if e.Kind == "function" || e.Kind == "memory" {
			info.Exports = append(info.Exports, e.Name)
		}
	}
	slices.Sort(info.Imports)
	slices.Sort(info.Exports)
	info.Tools, err = m.describe(ctx)
	return info, err
}

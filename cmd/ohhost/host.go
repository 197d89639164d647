package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
	"github.com/ohhost/ohhost/tool"
)

// openHost brings the embedded plugins and those of the command line.
func openHost(ctx context.Context, o *openOptions) (_ *tool.Registry, err error) {
	opts := host.Options{Logger: o.log.Named("host"), Progress: o.progress, Limits: host.Limits{Fuel: o.fuel}}
	if o.once {
		opts.Spares = -1
	}
	h, err := host.New(&opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close(ctx))
		}
	}()
	taken := map[string]bool{}
	for _, file := range o.plugins {
		wasm, err := readModule(file)
		if err != nil {
			return nil, err
		}
		if err := h.Load(ctx, strings.TrimSuffix(filepath.Base(file), ".wasm"), wasm, nil); err != nil {
			return nil, &usageError{err: err, hint: "`ohhost plugin inspect " + file + "` shows what it is"}
		}
	}
	for _, s := range h.Specs() {
		taken[s.Name] = true
	}
	for _, p := range plugins.All() {
		specs := slices.DeleteFunc(slices.Clone(p.Tools), func(s *abi.Spec) bool {
			if taken[s.Name] {
				o.log.Info("a tool of ours is replaced", "tool", s.Name)
			}
			return taken[s.Name]
		})
		if len(specs) == 0 {
			continue
		}
		if err := h.Load(ctx, p.Name, p.Wasm, specs); err != nil {
			return nil, err
		}
	}
	reg := tool.NewRegistry(nil)
	if err := reg.Add(h); err != nil {
		return nil, &usageError{err: err}
	}
	return reg, nil
}

// readModule reads a module that the command line names.
func readModule(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, &usageError{err: err}
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("", "%s: not a regular file", file)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return wasm, nil
}

// Package host runs plugins: WebAssembly modules that speak the contract of
// package abi, on wazero, each call in a fresh instance that can touch what its
// grant gives and nothing else. A Host is a tool.Source.
//
//	h, err := host.New(nil)
//	err = h.Load(ctx, "fileeditor", wasm, nil)
//	t, err := h.Bind(ctx, "file_editor", &tool.Grant{
//		Workspace: "/w", Paths: []tool.PathGrant{{Path: "/w", Write: true}},
//	})
//	res, err := t.Call(ctx, &tool.Call{Args: json.RawMessage(`{"command":"view","path":"/w"}`)})
//
// The parts: package instrument makes modules that can be stopped, package
// codecache keeps them compiled; package jail decides which files a call reaches,
// package text decodes and edits them, package changeset writes them, package
// session keeps what outlives a call. This package loads modules, makes instances,
// and puts those parts behind the services "files" and "state".
//
// A call is bounded by its context, which a guest cannot outlast whatever it
// does, and by [Limits].
//
// What it is not: a judge of arguments; package tool validates them.
package host

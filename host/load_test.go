package host_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// section encodes a section of a module whose body is shorter than 128 bytes.
func section(id byte, body ...byte) []byte {
	return append([]byte{id, byte(len(body))}, body...)
}

// TestLoadRefused: vectors A3, A5, S7, S8 of the threat list: what is wrong with
// a module is said when it is loaded, and nothing of it is kept.
func TestLoadRefused(t *testing.T) {
	t.Parallel()
	header := []byte("\x00asm\x01\x00\x00\x00")
	start := append(append(append(append([]byte{}, header...),
		section(1, 1, 0x60, 0, 0)...), // one type: () -> ()
		section(3, 1, 0)...), // one function of it
		append(section(8, 0), section(10, 1, 2, 0, 0x0b)...)...) // it starts; its body is empty
	for _, c := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"empty", nil, "load x: not a WebAssembly module"},
		{"text", []byte("(module)"), "load x: not a WebAssembly module"},
		{"magic only", header[:4], "load x: not a WebAssembly core module of version 1 (components are not supported)"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), "load x: not a WebAssembly core module of version 1 (components are not supported)"},
		{"cut short", append(header[:8:8], 1, 100, 0), "load x: the module is cut short"},
		{"section length of ten bytes", append(header[:8:8], append([]byte{1}, binary.AppendUvarint(nil, 1<<63)...)...), "load x: the module is cut short"},
		{"empty module", header, `load x: the module does not export its memory as "memory"`},
		{"start section", start, "load x: the module has a start section; export its start-up code as _initialize (AssemblyScript: --exportStart _initialize)"},
		{"foreign import", guest(t, "import_env"), "load x: the module imports env.system; only wasi_snapshot_preview1 and ohhost_v1 may be imported"},
		{"unknown import", guest(t, "import_unknown"), "load x: the module imports ohhost_v1.future, which this host does not have"},
		{"no exports", guest(t, "export_none"), "load x: the module does not export oh_describe () -> i32"},
		{"wrong signature", guest(t, "export_signature"), "load x: the module exports oh_call with another signature than (i32) -> i32"},
		{"broken description", guest(t, "describe_json"), "load x: describe: the description is broken JSON: invalid character '}' looking for beginning of value"},
		{"other version", guest(t, "describe_version"), `load x: describe: abi "ohhost_v2": not supported (this host has ohhost_v1)`},
		{"endless description", guest(t, "describe_flood"), "load x: describe: frame is over the limit"},
		{"tool name", guest(t, "describe_name"), `load x: describe: tool name "x\x1b[31m": want 1 to 64 of the characters A-Z a-z 0-9 _ -`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			require.EqualError(t, h.Load(context.Background(), "x", c.wasm, nil), c.want)
			require.Empty(t, h.Specs())
		})
	}
}

// The reason comes from wazero here; what it must name is fixed.
func TestLoadRefusedByEngine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"import_wasi_unknown", "fd_future"},
		{"initialize_trap", "unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, nil)
			err := h.Load(context.Background(), "x", guest(t, c.name), nil)
			require.ErrorContains(t, err, "load x: ")
			require.ErrorContains(t, err, c.want)
			require.Empty(t, h.Specs())
		})
	}
}

// TestLoadEndless: start-up code that never comes back ends with the caller's
// context.
func TestLoadEndless(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), shortTime)
	defer cancel()
	require.ErrorIs(t, h.Load(ctx, "x", guest(t, "initialize_spin"), nil), context.DeadlineExceeded)
	require.Empty(t, h.Specs())
}

func TestLoadTwice(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	ctx := context.Background()
	require.NoError(t, h.Load(ctx, "one", guest(t, "word"), nil))
	require.EqualError(t, h.Load(ctx, "two", guest(t, "word"), nil), `load two: tool "word_count": one has a tool of that name`)
	require.Len(t, h.Specs(), 1)
}

// TestLoadSpecs: with specs a module is not compiled before its first call.
func TestLoadSpecs(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	ctx := context.Background()
	specs := []*abi.Spec{{Name: "b", InputSchema: abi.JSON(`{}`)}, {Name: "a", InputSchema: abi.JSON(`{}`)}}
	require.NoError(t, h.Load(ctx, "x", guest(t, "export_none"), specs))
	require.Equal(t, []*abi.Spec{specs[1], specs[0]}, h.Specs())

	dir := workspace(t)
	b, err := h.Bind(ctx, "a", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir}}})
	require.NoError(t, err)
	_, err = b.Call(ctx, &tool.Call{Args: []byte(`{}`)})
	require.EqualError(t, err, "a: call: the module does not export oh_describe () -> i32")
	require.Equal(t, tool.KindFault, tool.Kind(err))
}

func TestBindRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	ctx := context.Background()
	require.NoError(t, h.Load(ctx, "word", guest(t, "word"), nil))
	dir := workspace(t)
	_, err := h.Bind(ctx, "no", &tool.Grant{Workspace: dir})
	require.ErrorIs(t, err, tool.ErrUnknownTool)
	_, err = h.Bind(ctx, "word_count", &tool.Grant{Workspace: dir, Session: "../x"})
	require.EqualError(t, err, `bind word_count: session name "../x": want 1 to 64 of the characters A-Z a-z 0-9 . _ -`)
	_, err = h.Bind(ctx, "word_count", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir + "/none/a"}}})
	require.ErrorContains(t, err, dir+"/none")
	_, err = h.Bind(ctx, "word_count", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: "relative"}}})
	require.ErrorContains(t, err, "relative")
}

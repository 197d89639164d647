package codecache

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
)

// The guest's one function, f, returns the constant honest.
const honest, evil = 0x0badcafe, 0x0badc0de

var guest = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x05\x01\x60\x00\x01\x7f" + // type () -> i32
	"\x03\x02\x01\x00" +
	"\x07\x05\x01\x01f\x00\x00" + // export f
	"\x0a\x0a\x01\x08\x00\x41\xfe\x95\xb7\xdd\x00\x0b") // i32.const honest

// run compiles the guest, or loads it from below s, and returns what f returns.
func run(t *testing.T, s *Scratch) uint32 {
	t.Helper()
	ctx := t.Context()
	cache, err := wazero.NewCompilationCacheWithDir(s.Path())
	require.NoError(t, err)
	defer cache.Close(ctx)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	defer r.Close(ctx)
	m, err := r.Instantiate(ctx, guest)
	require.NoError(t, err)
	got, err := m.ExportedFunction("f").Call(ctx)
	require.NoError(t, err)
	return uint32(got[0])
}

// poison makes the compiled guest return evil. b holds wazero's file from the byte
// at on: "WAZEVO", a length, the version, the number of functions (u32), their
// offsets (u64), the length of the code (u64), the code, and its CRC-32C, which is
// all that wazero checks.
func poison(t *testing.T, b []byte, at int) {
	t.Helper()
	le := binary.LittleEndian
	at += 6
	at += 1 + int(b[at])
	at += 4 + 8*int(le.Uint32(b[at:]))
	code := b[at+8:][:le.Uint64(b[at:])]
	crc := b[at+8+len(code):][:4]
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	require.Equal(t, crc32.Checksum(code, castagnoli), le.Uint32(crc))
	where := bytes.Index(code, le.AppendUint32(nil, honest))
	if where < 0 {
		where = len(code) / 2 // not an immediate of this processor: any byte is as good
		code[where] ^= 1
	} else {
		le.PutUint32(code[where:], evil)
	}
	le.PutUint32(crc, crc32.Checksum(code, castagnoli))
}

// TestS1PoisonedEntry: somebody changes the machine code of a cached plugin and
// makes wazero's checksum right again. wazero alone runs it. Behind the cache, it
// is never handed out.
func TestS1PoisonedEntry(t *testing.T) {
	scratchPlace(t)
	first := openScratch(t)
	require.EqualValues(t, honest, run(t, first))
	files, err := first.Files()
	require.NoError(t, err)
	require.Len(t, files, 1)

	p := newPlace(t)
	c := p.open(t)
	for rel, compiled := range files {
		require.NoError(t, c.Store("plugin", [][]byte{[]byte("another part"), compiled}))

		if runtime.GOARCH == "amd64" { // where the constant is in one piece
			alone := openScratch(t)
			poisonedCode := bytes.Clone(compiled)
			poison(t, poisonedCode, 0)
			require.NoError(t, alone.Write(rel, poisonedCode))
			require.EqualValues(t, evil, run(t, alone), "wazero does not run it: the test proves nothing")
		}

		parts, err := load(c, "plugin")
		require.NoError(t, err)
		loaded := openScratch(t)
		require.NoError(t, loaded.Write(rel, parts[1]))
		require.EqualValues(t, honest, run(t, loaded))

		file, err := os.ReadFile(p.entry("plugin"))
		require.NoError(t, err)
		poison(t, file, bytes.Index(file, compiled))
		require.NoError(t, os.WriteFile(p.entry("plugin"), file, 0o600))
		require.Equal(t, wrongMAC, poisoned(t, c, "plugin"))

		require.NoError(t, c.Store("plugin", [][]byte{nil, compiled}))
		parts, err = load(c, "plugin")
		require.NoError(t, err)
		require.Equal(t, [][]byte{{}, compiled}, parts)
	}
}

// TestEngineWritesAgain: after Empty, an engine that made its directories before
// still finds them.
func TestEngineWritesAgain(t *testing.T) {
	scratchPlace(t)
	s := openScratch(t)
	ctx := t.Context()
	cache, err := wazero.NewCompilationCacheWithDir(s.Path())
	require.NoError(t, err)
	defer cache.Close(ctx)
	for range 2 {
		r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
		m, err := r.CompileModule(ctx, guest)
		require.NoError(t, err)
		files, err := s.Files()
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.NoError(t, s.Empty())
		require.NoError(t, m.Close(ctx)) // else the second one comes from memory
		require.NoError(t, r.Close(ctx))
	}
}

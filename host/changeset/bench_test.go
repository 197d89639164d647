//go:build unix

package changeset

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
)

// BenchmarkEdit is one edit of one line, with an undo entry.
func BenchmarkEdit(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"4KB", 4 << 10}, {"64KB", 64 << 10}} {
		for _, noSync := range []bool{false, true} {
			name := size.name + "/sync"
			if noSync {
				name = size.name + "/nosync"
			}
			b.Run(name, func(b *testing.B) {
				base := b.TempDir()
				require.NoError(b, os.Mkdir(base+"/w", 0o755))
				w, err := openWorld(base)
				require.NoError(b, err)
				require.NoError(b, w.s.Close())
				w.s, err = session.Open(base+"/s", &session.Options{NoSync: noSync})
				require.NoError(b, err)
				defer w.close()
				content := bytes.Repeat([]byte("a line of some text\n"), size.bytes/20)
				f := w.path("f")
				require.NoError(b, os.WriteFile(f, content, 0o644))
				c := Change{Op: Edit, Path: f, Undo: f, Splices: []text.Splice{{At: 40, Del: 1, Insert: []byte("b")}}}
				for b.Loop() {
					c.Splices[0].Insert[0] ^= 1
					if _, err := w.apply(b.Context(), c, &Options{NoSync: noSync}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// An edit of a file of the largest size costs a few times the file, however many
// views of it the outcome has.
func TestLargeEditIsFrugal(t *testing.T) {
	w := newWorld(t)
	const size = 10 << 20
	f := w.file(t, "f", string(bytes.Repeat([]byte("a line of some text\n"), size/20)), 0o644)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := w.apply(t.Context(), Change{
		Op: Edit, Path: f, Undo: f, Max: size, Splices: []text.Splice{{At: 40, Del: 1, Insert: []byte("b")}}}, nil)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(32), "MiB allocated for a file of 10 MiB")
}

//go:build unix

package changeset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// BenchmarkContended is one edit while ten processes edit as fast as they can, the
// same file or files of their own in one session. The median and the longest wait
// are told beside it: nobody must starve.
func BenchmarkContended(b *testing.B) {
	const procs = 10
	for _, shared := range []string{"file", "session"} {
		b.Run(shared, func(b *testing.B) {
			base := b.TempDir()
			for p := range procs {
				require.NoError(b, os.MkdirAll(fmt.Sprintf("%s/w/%d", base, p), 0o755))
			}
			w, err := openWorld(base)
			require.NoError(b, err)
			defer w.close()
			each := b.N/procs + 1
			out := make([][]byte, procs)
			errs := make([]error, procs)
			var wg sync.WaitGroup
			b.ResetTimer()
			for p := range procs {
				file := "f"
				if shared == "session" {
					file = fmt.Sprintf("%d/f", p)
				}
				cmd := w.child(b, "time", file, strconv.Itoa(each))
				wg.Go(func() { out[p], errs[p] = cmd.Output() })
			}
			wg.Wait()
			b.StopTimer()
			require.NoError(b, errors.Join(errs...))
			var took []int
			for _, f := range strings.Fields(string(bytes.Join(out, nil))) {
				n, err := strconv.Atoi(f)
				require.NoError(b, err)
				took = append(took, n)
			}
			require.Len(b, took, procs*each)
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/1000, "median-ms")
			b.ReportMetric(float64(took[len(took)*99/100])/1000, "p99-ms")
			b.ReportMetric(float64(took[len(took)-1])/1000, "max-ms")
		})
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

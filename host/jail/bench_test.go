package jail

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

// BenchmarkRead opens, reads and closes a file of 2 KiB four directories down.
func BenchmarkRead(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "a", "b", "c")
	require.NoError(b, os.MkdirAll(dir, 0o755))
	name := filepath.Join(dir, "file.go")
	require.NoError(b, os.WriteFile(name, make([]byte, 2048), 0o644))
	read := func(b *testing.B, open func(string) (*os.File, error)) {
		buf := make([]byte, 4096)
		b.ReportAllocs()
		for b.Loop() {
			f, err := open(name)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Read(buf); err != nil && err != io.EOF {
				b.Fatal(err)
			}
			f.Close()
		}
	}
	b.Run("os.ReadFile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := os.ReadFile(name); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("os.Open", func(b *testing.B) { read(b, os.Open) })
	for _, backend := range []Backend{Openat2, OSRoot} {
		for _, deny := range [][]string{nil, {"*.key", "secrets/"}} {
			g := &tool.Grant{Paths: []tool.PathGrant{{Path: filepath.Dir(filepath.Dir(dir))}}, Deny: deny}
			j, err := New(g, &Options{Backend: backend, Private: []string{b.TempDir()}})
			require.NoError(b, err)
			defer j.Close()
			sub := backend.String()
			if deny != nil {
				sub += "/deny"
			}
			b.Run(sub, func(b *testing.B) { read(b, j.Open) })
		}
	}
}

// BenchmarkList lists a directory of 1000 files, with what stat says of each.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644))
	}
	b.Run("os.ReadDir", func(b *testing.B) {
		for b.Loop() {
			list, err := os.ReadDir(dir)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range list {
				if _, err := e.Info(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	for _, deny := range [][]string{nil, {"*.key", "secrets/"}} {
		j, err := New(&tool.Grant{Paths: []tool.PathGrant{{Path: dir}}, Deny: deny}, nil)
		require.NoError(b, err)
		defer j.Close()
		b.Run(fmt.Sprintf("deny %d", len(deny)), func(b *testing.B) {
			for b.Loop() {
				if list, err := j.List(b.Context(), dir, true, 0); err != nil || len(list) != 1000 {
					b.Fatal(err)
				}
			}
		})
	}
}

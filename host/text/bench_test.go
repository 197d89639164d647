package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host/text"
)

func BenchmarkDecode(b *testing.B) {
	line := "a line of source text, as they are\n"
	benchmarks := []struct{ name, raw string }{
		{"ascii-64K", strings.Repeat(line, 64<<10/len(line))},
		{"ascii-10M", strings.Repeat(line, 10<<20/len(line))},
		{"utf-8-64K", strings.Repeat("测试文件的一行é\n", 64<<10/23)},
		{"crlf-64K", strings.Repeat(line[:len(line)-1]+"\r\n", 64<<10/len(line))},
		{"windows-1252-64K", strings.Repeat("caf\xe9 "+line, 64<<10/len(line))},
		{"windows-1251-64K", strings.Repeat(cp1251+"\n", 64<<10/len(cp1251))},
		{"shift_jis-1M", strings.Repeat(sjis, 1<<20/len(sjis))},
	}
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			raw := []byte(bm.raw)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := text.Decode(raw)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	line := "a line of source text, as they are\n"
	benchmarks := []struct{ name, raw string }{
		{"ascii-64K", strings.Repeat(line, 64<<10/len(line)) + "end\n"},
		{"crlf-64K", strings.Repeat(line[:len(line)-1]+"\r\n", 64<<10/len(line)) + "end\n"},
		{"shift_jis-1M", strings.Repeat(sjis, 1<<20/len(sjis)) + "end\n"},
	}
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			d, err := text.Decode([]byte(bm.raw))
			require.NoError(b, err)
			splices := []text.Splice{{At: len(d.Text) - 4, Del: 3, Insert: []byte("END")}}
			b.SetBytes(int64(len(bm.raw)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := d.Edit(splices)
				require.NoError(b, err)
			}
		})
	}
}

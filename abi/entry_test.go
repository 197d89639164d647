package abi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func TestEntries(t *testing.T) {
	want := []abi.Entry{
		{Name: "a\xff\n", Type: abi.TypeFile, Target: abi.TypeFile, Mode: 0o4755, Size: 1 << 40, MTime: -1},
		{Name: "l", Type: abi.TypeLink, Target: abi.TypeDir, Mode: 0o777},
		{Name: "", Type: abi.TypeOther, Target: abi.TypeNone},
	}
	var b []byte
	for i := range want {
		b = abi.AppendEntry(b, &want[i])
	}
	require.Equal(t, "\x01\x01\x03\x00\xed\x09\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xff\xff\xff\xff\xff\xff\xff\xffa\xff\n", string(b[:27]))
	got, err := abi.DecodeEntries(b)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// A directory of 2^20 entries must fit a guest's memory: the slice is made once,
// and no name is copied.
func TestEntriesAreNotCopied(t *testing.T) {
	var b []byte
	for range 1000 {
		b = abi.AppendEntry(b, &abi.Entry{Name: "some name", Type: abi.TypeFile, Target: abi.TypeFile})
	}
	var es []abi.Entry
	allocs := testing.AllocsPerRun(10, func() {
		var err error
		if es, err = abi.DecodeEntries(b); err != nil {
			panic(err)
		}
	})
	require.Len(t, es, 1000)
	require.Equal(t, 1000, cap(es))
	require.Equal(t, 1.0, allocs)
}

func TestNoEntries(t *testing.T) {
	es, err := abi.DecodeEntries(nil)
	require.NoError(t, err)
	require.Empty(t, es)
}

func TestEntryLongName(t *testing.T) {
	b := abi.AppendEntry(nil, &abi.Entry{Name: strings.Repeat("x", 70000)})
	es, err := abi.DecodeEntries(b)
	require.NoError(t, err)
	require.Len(t, es[0].Name, 65535)
}

func TestEntriesRefused(t *testing.T) {
	whole := abi.AppendEntry(nil, &abi.Entry{Name: "name", Type: abi.TypeFile, Target: abi.TypeFile})
	for cut := 1; cut < len(whole); cut++ {
		_, err := abi.DecodeEntries(append(whole[:len(whole):len(whole)], whole[:cut]...))
		require.ErrorIs(t, err, abi.ErrEntry, "cut at %d", cut)
	}
	for _, at := range []int{0, 1} {
		bad := append([]byte{}, whole...)
		bad[at] = abi.TypeOther + 1
		_, err := abi.DecodeEntries(bad)
		require.ErrorIs(t, err, abi.ErrEntry)
	}
}

func TestTypeName(t *testing.T) {
	var got []string
	for typ := byte(0); typ <= abi.TypeOther; typ++ {
		got = append(got, abi.TypeName(typ))
	}
	require.Equal(t, []string{"", "file", "dir", "link", "other"}, got)
	require.Equal(t, "other", abi.TypeName(200))
}

// FuzzDecodeEntries: what decodes encodes to the same bytes.
func FuzzDecodeEntries(f *testing.F) {
	f.Add([]byte{})
	f.Add(abi.AppendEntry(nil, &abi.Entry{Name: "x", Type: abi.TypeDir, Target: abi.TypeDir, Size: 7, MTime: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		es, err := abi.DecodeEntries(b)
		if err != nil {
			require.Nil(t, es)
			return
		}
		var again []byte
		for i := range es {
			again = abi.AppendEntry(again, &es[i])
		}
		require.Equal(t, string(b), string(again))
	})
}

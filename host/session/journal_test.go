package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func record() *Record {
	return &Record{
		Files: []RecordFile{
			{Path: "/w/a", Before: digest("old"), After: digest("new"), InPlace: true, Old: []byte("old"), New: []byte("new")},
			{Path: "/w/\xff", Before: abi.Absent, After: Directory},
		},
		Blobs: []string{"x", "y"},
	}
}

func TestStagedBlobs(t *testing.T) {
	blobs := []Blob{{"x", []byte("x2")}, {"y", []byte("y2")}}
	tests := []struct {
		name         string
		end          func(t *testing.T, r *Record)
		wantX, wantY string
	}{
		{"commit", func(t *testing.T, r *Record) { require.NoError(t, r.Commit()) }, "x2", "y2"},
		{"drop", func(t *testing.T, r *Record) { require.NoError(t, r.Drop()) }, "x1", ""},
	}
	for _, tt := range tests {
		for _, killed := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "s")
				s := open(t, dir)
				require.NoError(t, s.Put(t.Context(), "x", []byte("x1")))
				in(t, s, func(tx *Tx) {
					require.NoError(t, tx.Stage(blobs))
					r := record()
					require.NoError(t, tx.Journal(r))
					if !killed {
						tt.end(t, r)
					}
				})
				if killed {
					s = open(t, dir)
					in(t, s, func(tx *Tx) {
						rs, err := tx.Records()
						require.NoError(t, err)
						require.Len(t, rs, 1)
						require.Equal(t, record().Files, rs[0].Files)
						require.Equal(t, record().Blobs, rs[0].Blobs)
						tt.end(t, rs[0])
					})
				}
				x, _, err := s.Get(t.Context(), "x")
				require.NoError(t, err)
				y, _, err := s.Get(t.Context(), "y")
				require.NoError(t, err)
				require.Equal(t, []string{tt.wantX, tt.wantY}, []string{string(x), string(y)})
				for _, d := range []string{"journal", "state"} {
					files, err := filepath.Glob(filepath.Join(dir, d, "*"))
					require.NoError(t, err)
					for _, f := range files {
						require.Equal(t, blobExt, filepath.Ext(f))
					}
				}
			})
		}
	}
}

func TestLaterPutBeatsStagedBlob(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	in(t, s, func(tx *Tx) {
		require.NoError(t, tx.Stage([]Blob{{"x", []byte("staged")}, {"y", []byte("staged")}}))
		require.NoError(t, tx.Journal(record()))
	})
	require.NoError(t, s.Put(t.Context(), "x", []byte("later")))
	in(t, s, func(tx *Tx) {
		rs, err := tx.Records()
		require.NoError(t, err)
		require.NoError(t, rs[0].Commit())
	})
	x, _, err := s.Get(t.Context(), "x")
	require.NoError(t, err)
	require.Equal(t, "later", string(x))
	y, _, err := s.Get(t.Context(), "y")
	require.NoError(t, err)
	require.Equal(t, "staged", string(y))
}

func TestStageChecks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s := open(t, dir)
	in(t, s, func(tx *Tx) {
		require.ErrorIs(t, tx.Stage([]Blob{{"a/b", nil}}), ErrName)
		require.ErrorIs(t, tx.Stage([]Blob{{"a", make([]byte, MaxState)}, {"b", []byte("x")}}), ErrQuota)
		require.NoError(t, tx.Stage([]Blob{{"orphan", []byte("x")}}))
		require.NoError(t, tx.Stage([]Blob{{"a", []byte("x")}}))
	})
	files, err := os.ReadDir(filepath.Join(dir, "state"))
	require.NoError(t, err)
	require.Len(t, files, 1, "what no record names was swept")
	require.Equal(t, blobFile("a", nextExt), files[0].Name())
}

// Settled is false until this process has seen that there is no record, and after
// any process has written one.
func TestSettled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	a, b := open(t, dir), open(t, dir)
	look := func(s *Session) (n int) {
		in(t, s, func(tx *Tx) {
			rs, err := tx.Records()
			require.NoError(t, err)
			n = len(rs)
		})
		return n
	}
	settled := func() []bool { return []bool{a.Settled(), b.Settled()} }
	require.Equal(t, []bool{false, false}, settled())
	require.Zero(t, look(a))
	require.Equal(t, []bool{true, false}, settled())
	require.Zero(t, look(b))
	require.NoError(t, a.Put(t.Context(), "x", []byte("1")))
	in(t, b, func(tx *Tx) { require.NoError(t, commit(tx, entry("k", "a", "b"))) })
	require.Equal(t, []bool{true, true}, settled())

	in(t, b, func(tx *Tx) { require.NoError(t, tx.Journal(&Record{})) }) // and is killed
	require.Equal(t, []bool{false, false}, settled())
	require.Equal(t, 1, look(a))
	require.Equal(t, []bool{false, false}, settled())
	in(t, a, func(tx *Tx) {
		rs, err := tx.Records()
		require.NoError(t, err)
		require.NoError(t, rs[0].Commit())
	})
	require.Equal(t, []bool{false, false}, settled())
	require.Zero(t, look(a))
	require.Equal(t, []bool{true, false}, settled())
}

func TestDamagedRecordIsDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s := open(t, dir)
	in(t, s, func(tx *Tx) {
		require.NoError(t, tx.Journal(&Record{Blobs: []string{"a"}}))
		require.NoError(t, tx.Journal(&Record{Blobs: []string{"b"}}))
	})
	files, err := filepath.Glob(filepath.Join(dir, "journal", "*"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	flip(t, files[0], 9)
	in(t, s, func(tx *Tx) {
		rs, err := tx.Records()
		require.NoError(t, err)
		require.Len(t, rs, 1)
		require.Equal(t, []string{"b"}, rs[0].Blobs)
	})
	require.NoFileExists(t, files[0])
}

func FuzzDecodeRecord(f *testing.F) {
	join := func(r *Record) (b []byte) {
		for _, p := range r.encode() {
			b = append(b, p...)
		}
		return b
	}
	f.Add(join(record()))
	f.Add(join(&Record{}))
	f.Add([]byte(recordMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			require.ErrorIs(t, err, errDamaged)
			return
		}
		require.Equal(t, b, join(r))
	})
}

package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func entry(key, before, after string) *Entry {
	return &Entry{
		Key: key, Path: "/w/" + key, Before: []byte(before), BeforeDigest: digest(before), After: digest(after),
		Mode: 0o4755, Time: time.Unix(1, 2),
	}
}

func commit(tx *Tx, e *Entry) error {
	p, err := tx.Prepare(e)
	if err != nil {
		return err
	}
	return p.Commit()
}

// in runs f in a transaction of its own.
func in(t *testing.T, s *Session, f func(tx *Tx)) {
	t.Helper()
	tx, err := s.Begin(t.Context())
	require.NoError(t, err)
	f(tx)
	require.NoError(t, tx.End())
}

// history pops all entries of key and returns their contents, newest first.
func history(t *testing.T, s *Session, key string) []string {
	t.Helper()
	got := []string{}
	in(t, s, func(tx *Tx) {
		for {
			e, at, err := tx.Newest(key, "")
			require.NoError(t, err)
			if e == nil {
				return
			}
			got = append(got, string(e.Before))
			p, err := tx.PreparePop(at)
			require.NoError(t, err)
			require.NoError(t, p.Commit())
		}
	})
	return got
}

func TestEntryComesBackWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	key := "/w/\xff\n"
	made := &Entry{Key: key, Path: "/w/\xfe", BeforeDigest: abi.Absent, After: digest("x"), Mode: 0o644, Time: time.Unix(7, 8)}
	in(t, open(t, dir), func(tx *Tx) {
		require.NoError(t, commit(tx, entry(key, "a\x00b", "c")))
		require.NoError(t, commit(tx, made))
	})
	in(t, open(t, dir), func(tx *Tx) {
		e, at, err := tx.Newest(key, "")
		require.NoError(t, err)
		require.Equal(t, made, e)
		p, err := tx.PreparePop(at)
		require.NoError(t, err)
		require.NoError(t, p.Commit())
		e, _, err = tx.Newest(key, "")
		require.NoError(t, err)
		require.Equal(t, entry(key, "a\x00b", "c").Before, e.Before)
		e, _, err = tx.Newest("/w/other", "")
		require.NoError(t, err)
		require.Nil(t, e)
	})
}

func TestTenEntriesPerKey(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	in(t, s, func(tx *Tx) {
		require.NoError(t, commit(tx, entry("other", "kept", "x")))
		for i := range 13 {
			require.NoError(t, commit(tx, entry("k", fmt.Sprint(i), fmt.Sprint(i+1))))
		}
	})
	require.Equal(t, []string{"12", "11", "10", "9", "8", "7", "6", "5", "4", "3"}, history(t, s, "k"))
	require.Equal(t, []string{"kept"}, history(t, s, "other"))
}

// A kill between committing the eleventh entry and dropping the first leaves
// both; the next use of the key drops it.
func TestTrimmedAfterKill(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	in(t, s, func(tx *Tx) {
		for i := range 11 {
			p, err := tx.Prepare(entry("k", fmt.Sprint(i), fmt.Sprint(i+1)))
			require.NoError(t, err)
			_, err = tx.move(p.sl, stateDone) // Commit, up to the kill
			require.NoError(t, err)
		}
	})
	in(t, s, func(tx *Tx) {
		require.NoError(t, tx.Settle("k", digest("11")))
		n, _, err := tx.Entries("k")
		require.NoError(t, err)
		require.Equal(t, 10, n)
	})
	require.Equal(t, []string{"10", "9", "8", "7", "6", "5", "4", "3", "2", "1"}, history(t, s, "k"))
}

func TestQuotaDropsTheOldestOfAll(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	s.maxUndo = 5 * minCharge
	big := strings.Repeat("x", 3*minCharge)
	in(t, s, func(tx *Tx) {
		require.NoError(t, commit(tx, entry("a", "a1", "")))
		require.NoError(t, commit(tx, entry("b", "b1", "")))
		require.NoError(t, commit(tx, entry("a", "a2", "")))
		require.NoError(t, commit(tx, entry("c", big, "")))
		p, err := tx.Prepare(entry("a", strings.Repeat("y", 5*minCharge+1), ""))
		require.NoError(t, err, "over the quota: not kept, not an error")
		require.Nil(t, p)
		require.NoError(t, p.Commit())
		n, total, err := tx.Entries("a")
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.EqualValues(t, 5*minCharge, total)
	})
	require.Equal(t, []string{"a2"}, history(t, s, "a"))
	require.Equal(t, []string{"b1"}, history(t, s, "b"))
	require.Equal(t, []string{big}, history(t, s, "c"))
}

func TestSettle(t *testing.T) {
	absent := entry("k", "", "new")
	absent.Before, absent.BeforeDigest = nil, abi.Absent
	tests := []struct {
		name  string
		open  *Entry // prepared, then the process is gone
		pop   bool   // or the removal of this one was prepared
		state string
		want  []string
	}{
		{"edit happened", entry("k", "old", "new"), false, digest("new"), []string{"old", "first"}},
		{"edit did not", entry("k", "old", "new"), false, digest("old"), []string{"first"}},
		{"somebody else wrote", entry("k", "old", "new"), false, digest("x"), []string{"first"}},
		{"edit that changes nothing", entry("k", "old", "old"), false, digest("old"), []string{"old", "first"}},
		{"create happened", absent, false, digest("new"), []string{"", "first"}},
		{"create did not", absent, false, abi.Absent, []string{"first"}},
		{"undo happened", entry("k", "old", "new"), true, digest("old"), []string{"first"}},
		{"undo did not", entry("k", "old", "new"), true, digest("new"), []string{"old", "first"}},
		{"undo, somebody else wrote", entry("k", "old", "new"), true, digest("x"), []string{"old", "first"}},
		{"undo of create, given back", entry("k", "new", "new"), true, digest("new"), []string{"first"}},
		{"undo of create, removed", absent, true, abi.Absent, []string{"first"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			in(t, open(t, dir), func(tx *Tx) {
				require.NoError(t, commit(tx, entry("k", "first", "old")))
				require.NoError(t, commit(tx, entry("other", "o", "p")))
				p, err := tx.Prepare(tt.open)
				require.NoError(t, err)
				if tt.pop {
					require.NoError(t, p.Commit())
					_, at, err := tx.Newest("k", "")
					require.NoError(t, err)
					_, err = tx.PreparePop(at)
					require.NoError(t, err)
				}
			})
			next := open(t, dir)
			in(t, next, func(tx *Tx) {
				e, _, err := tx.Newest("k", tt.state)
				require.NoError(t, err)
				require.Equal(t, tt.want[0], string(e.Before), "Newest knows what Settle will decide")
				require.NoError(t, tx.Settle("other", digest("p")))
				require.NoError(t, tx.Settle("k", tt.state))
			})
			third := open(t, dir)
			require.Equal(t, tt.want, history(t, third, "k"))
			require.Equal(t, []string{"o"}, history(t, third, "other"))
			left, err := os.ReadDir(filepath.Join(dir, "undo"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestDrop(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	in(t, s, func(tx *Tx) {
		require.NoError(t, commit(tx, entry("k", "a", "b")))
		p, err := tx.Prepare(entry("k", "b", "c"))
		require.NoError(t, err)
		require.NoError(t, p.Drop())
		_, at, err := tx.Newest("k", "")
		require.NoError(t, err)
		p, err = tx.PreparePop(at)
		require.NoError(t, err)
		require.NoError(t, p.Drop())
	})
	require.Equal(t, []string{"a"}, history(t, s, "k"))
}

func TestAnotherProcessIsSeen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	a, b := open(t, dir), open(t, dir)
	for i := range 4 {
		in(t, a, func(tx *Tx) { require.NoError(t, commit(tx, entry("k", fmt.Sprint("a", i), ""))) })
		in(t, b, func(tx *Tx) { require.NoError(t, commit(tx, entry("k", fmt.Sprint("b", i), ""))) })
	}
	require.Equal(t, []string{"b3", "a3", "b2", "a2", "b1", "a1", "b0", "a0"}, history(t, a, "k"))
	require.Empty(t, history(t, b, "k"))
}

func TestDamagedEntryIsDropped(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, file string)
	}{
		{"cut short", func(t *testing.T, f string) { require.NoError(t, os.Truncate(f, 40)) }},
		{"empty", func(t *testing.T, f string) { require.NoError(t, os.Truncate(f, 0)) }},
		{"a bit of the head", func(t *testing.T, f string) { flip(t, f, 12) }},
		{"a bit of the contents", func(t *testing.T, f string) { flip(t, f, -1) }},
		{"gone", func(t *testing.T, f string) { require.NoError(t, os.Remove(f)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			s := open(t, dir)
			in(t, s, func(tx *Tx) {
				require.NoError(t, commit(tx, entry("k", "first", "")))
				require.NoError(t, commit(tx, entry("k", "second", "")))
				require.NoError(t, commit(tx, entry("other", "kept", "")))
			})
			tt.damage(t, filepath.Join(dir, "undo", s.slots[1].file()))
			require.Equal(t, []string{"first"}, history(t, s, "k"))
			require.Equal(t, []string{"kept"}, history(t, open(t, dir), "other"))
		})
	}
}

// A process is killed while it writes an entry: what there is of it is removed,
// without a word where the edit would have changed something, and the entry before
// it counts.
func TestEntryIsCutShort(t *testing.T) {
	for _, e := range []*Entry{entry("k", "b", "c"), entry("k", "b", "b")} {
		size := len(e.encodeHead()) + len(e.Before)
		for n := range size {
			dir := filepath.Join(t.TempDir(), "s")
			s, err := Open(dir, &Options{NoSync: true})
			require.NoError(t, err)
			in(t, s, func(tx *Tx) {
				require.NoError(t, commit(tx, entry("k", "a", "b")))
				_, err := tx.Prepare(e)
				require.NoError(t, err)
			})
			require.NoError(t, os.Truncate(filepath.Join(dir, "undo", s.slots[1].file()), int64(n)))
			require.NoError(t, s.Close())

			var log bytes.Buffer
			s, err = Open(dir, &Options{Logger: hclog.New(&hclog.LoggerOptions{Output: &log})})
			require.NoError(t, err)
			in(t, s, func(tx *Tx) {
				require.NoError(t, tx.Settle("k", digest("b")))
				got, _, err := tx.Newest("k", digest("b"))
				require.NoError(t, err)
				require.Equal(t, "a", string(got.Before), n)
			})
			files, err := os.ReadDir(filepath.Join(dir, "undo"))
			require.NoError(t, err)
			require.Len(t, files, 1)
			if e.After != e.BeforeDigest {
				require.Empty(t, log.String())
			}
			require.NoError(t, s.Close())
		}
	}
}

// flip changes a bit of the byte at, from the end when it is negative.
func flip(t *testing.T, file string, at int) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	b[(at+len(b))%len(b)] ^= 1
	require.NoError(t, os.WriteFile(file, b, 0o600))
}

func FuzzDecodeEntry(f *testing.F) {
	e := entry("k", "before", "after")
	f.Add(append(e.encodeHead(), e.Before...))
	f.Add([]byte(entryMagic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := decodeEntry(b)
		if err != nil {
			require.ErrorIs(t, err, errDamaged)
			return
		}
		require.Equal(t, b, append(e.encodeHead(), e.Before...))
	})
}

func FuzzParseSlot(f *testing.F) {
	f.Add(slot{seq: 1, key: hashKey("k"), charge: 4096, state: stateDone}.file())
	f.Add("0000000000000001-00-1.entry")
	f.Fuzz(func(t *testing.T, name string) {
		if sl, ok := parseSlot(name); ok {
			require.Equal(t, name, sl.file())
		}
	})
}

package abi

import (
	"errors"
	"unsafe"
)

// ErrEntry means that bytes are not list records.
var ErrEntry = errors.New("list record is malformed")

const (
	entryFixed = 24
	maxName    = 1<<16 - 1
)

// EntrySize returns the length of the record of e.
func EntrySize(e *Entry) int { return entryFixed + min(len(e.Name), maxName) }

// AppendEntry appends the record of e to dst. Names over 65535 bytes do not
// exist on any file system; they are cut.
func AppendEntry(dst []byte, e *Entry) []byte {
	name := e.Name[:min(len(e.Name), maxName)]
	dst = append(dst, e.Type, e.Target)
	dst = appendU16(dst, uint16(len(name)))
	dst = appendU32(dst, e.Mode)
	dst = appendU64(dst, uint64(e.Size))
	dst = appendU64(dst, uint64(e.MTime))
	return append(dst, name...)
}

// DecodeEntries reads the records that fill b, or returns ErrEntry. The names are
// not copied: they point into b, which must not change any more. Of a directory
// of 2^20 entries, nothing is there twice.
func DecodeEntries(b []byte) ([]Entry, error) {
	n, err := countEntries(b)
	if n == 0 {
		return nil, err
	}
	es := make([]Entry, n)
	for i := range es {
		end := entryFixed + int(u16(b[2:]))
		es[i] = Entry{
			Type: b[0], Target: b[1],
			Mode:  u32(b[4:]),
			Size:  int64(u64(b[8:])),
			MTime: int64(u64(b[16:])),
			Name:  unsafe.String(unsafe.SliceData(b[entryFixed:]), end-entryFixed),
		}
		b = b[end:]
	}
	return es, nil
}

// countEntries returns how many records fill b, 0 with an error.
func countEntries(b []byte) (n int, err error) {
	for ; len(b) > 0; n++ {
		if len(b) < entryFixed {
			return 0, ErrEntry
		}
		end := entryFixed + int(u16(b[2:]))
		if len(b) < end || b[0] > TypeOther || b[1] > TypeOther {
			return 0, ErrEntry
		}
		b = b[end:]
	}
	return n, nil
}

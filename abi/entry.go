package abi

import (
	"errors"
)

// ErrEntry means that bytes are not list records.
var ErrEntry = errors.New("list record is malformed")

const entryFixed = 24

// AppendEntry appends the record of e to dst. Names over 65535 bytes do not
// exist on any file system; they are cut.
func AppendEntry(dst []byte, e *Entry) []byte {
	name := e.Name[:min(len(e.Name), 1<<16-1)]
	dst = append(dst, e.Type, e.Target)
	dst = appendU16(dst, uint16(len(name)))
	dst = appendU32(dst, e.Mode)
	dst = appendU64(dst, uint64(e.Size))
	dst = appendU64(dst, uint64(e.MTime))
	return append(dst, name...)
}

// DecodeEntries reads the records that fill b, or returns ErrEntry.
func DecodeEntries(b []byte) ([]Entry, error) {
	var es []Entry
	for len(b) > 0 {
		if len(b) < entryFixed {
			return nil, ErrEntry
		}
		n := int(u16(b[2:]))
		if len(b) < entryFixed+n || b[0] > TypeOther || b[1] > TypeOther {
			return nil, ErrEntry
		}
		es = append(es, Entry{
			Type: b[0], Target: b[1],
			Mode:  u32(b[4:]),
			Size:  int64(u64(b[8:])),
			MTime: int64(u64(b[16:])),
			Name:  string(b[entryFixed : entryFixed+n]),
		})
		b = b[entryFixed+n:]
	}
	return es, nil
}

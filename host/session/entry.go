package session

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/ohhost/ohhost/abi"
)

// An Entry is one step of a key's undo history: what a file held before an edit
// and what the edit left behind.
type Entry struct {
	// Key is under which history the step belongs: any bytes, for our tools the
	// path as the model wrote it.
	Key string
	// Path is the file that was written, resolved.
	Path string
	// Before holds the bytes that undoing brings back, and BeforeDigest their
	// SHA-256 in hex, or abi.Absent where undoing removes the file.
	Before       []byte
	BeforeDigest string
	// After is the digest of what the edit wrote, or abi.Absent if it removed the
	// file.
	After string
	// Mode is the file's twelve permission bits, for a file that must be made
	// again.
	Mode uint32
	// Time is when the edit was made.
	Time time.Time
}

// The file of an entry:
//
//	"OHU1" | u32 n | head (n bytes) | u32 CRC-32C of all before | before
//	head: i64 time_ns | u32 mode | u64 len(before) | before digest | after | key | path (texts)
//
// A text is a u32 length and its bytes. The digest protects before itself.
const (
	entryMagic = "OHU1"
	// maxEntryHead bounds what is read to learn about an entry. Keys and paths
	// over it do not exist on any system; such an entry is not kept.
	maxEntryHead = 64 << 10
)

// encodeHead returns what precedes Before in the entry's file, or nil when key
// and path are too long to be kept.
func (e *Entry) encodeHead() []byte {
	b := append(make([]byte, 0, 256), entryMagic...)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Time.UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, e.Mode)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(e.Before)))
	for _, s := range []string{e.BeforeDigest, e.After, e.Key, e.Path} {
		b = appendText(b, s)
	}
	if len(b)+4 > maxEntryHead {
		return nil
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// decodeHead reads an entry without its Before from the start of a file, and
// returns the length of Before and where it begins.
func decodeHead(b []byte) (e *Entry, size uint64, at int, err error) {
	r := &reader{b: b, ok: true}
	magic := string(r.take(4))
	n := uint64(r.u32())
	r.take(n)
	sum := r.u32()
	if !r.ok || magic != entryMagic || sum != checksum(b[:8+n]) {
		return nil, 0, 0, errDamaged
	}
	r = &reader{b: b[8 : 8+n], ok: true}
	e = &Entry{Time: time.Unix(0, int64(r.u64())), Mode: r.u32()}
	size = r.u64()
	e.BeforeDigest, e.After, e.Key, e.Path = r.text(), r.text(), r.text(), r.text()
	if !r.ok || len(r.b) > 0 || !isState(e.BeforeDigest) || !isState(e.After) {
		return nil, 0, 0, errDamaged
	}
	return e, size, int(8 + n + 4), nil
}

// decodeEntry reads a whole entry; Before is a slice of b.
func decodeEntry(b []byte) (*Entry, error) {
	e, size, at, err := decodeHead(b)
	if err != nil {
		return nil, err
	}
	before := b[at:]
	if uint64(len(before)) != size {
		return nil, errDamaged
	}
	if e.BeforeDigest == abi.Absent {
		if size != 0 {
			return nil, errDamaged
		}
		return e, nil
	}
	if sum := sha256.Sum256(before); hex.EncodeToString(sum[:]) != e.BeforeDigest {
		return nil, errDamaged
	}
	e.Before = before
	return e, nil
}

// isState says whether s is a digest or abi.Absent.
func isState(s string) bool {
	if s == abi.Absent {
		return true
	}
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == sha256.Size
}

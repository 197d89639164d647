package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Record is the journal of one set: what it takes to tell, after the process
// was killed, whether the set happened, and to finish or take back the rest. It
// is written before the first file changes and removed after the last thing is
// done. A set of one renamed file and its undo entry needs none: the entry says
// enough.
type Record struct {
	Files []RecordFile
	// Blobs are the names of the blobs that Stage has staged for this set.
	Blobs []string

	file string
	tx   *Tx
}

// A RecordFile is one file of a journalled set. Before and After are a digest,
// abi.Absent, Directory or Link.
type RecordFile struct {
	Path          string // resolved
	Before, After string
	// InPlace means that the file's own bytes are overwritten; Old and New are
	// the whole contents, so that a half-written file can be told from one that
	// somebody else has changed, and set right.
	InPlace  bool
	Old, New []byte
}

// What a path holds when it is neither a file nor absent.
const (
	Directory = "dir"
	Link      = "link"
)

// The file of a record:
//
//	"OHJ1" | u32 files | files | u32 blobs | names (texts) | u32 CRC-32C of all before
//	file: path | before | after (texts) | u8 in_place | u64 old | u64 new | old | new
const (
	recordMagic = "OHJ1"
	recordExt   = ".set"
	// maxRecord bounds a record: two contents of a file of the largest size that
	// a set can bring, and a little.
	maxRecord = 1 << 30
)

// encode returns the record in parts, contents uncopied.
func (r *Record) encode() [][]byte {
	var parts [][]byte
	b := binary.LittleEndian.AppendUint32([]byte(recordMagic), uint32(len(r.Files)))
	for _, f := range r.Files {
		for _, s := range []string{f.Path, f.Before, f.After} {
			b = appendText(b, s)
		}
		inPlace := byte(0)
		if f.InPlace {
			inPlace = 1
		}
		b = append(b, inPlace)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(f.Old)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(f.New)))
		parts = append(parts, b, f.Old, f.New)
		b = nil
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.Blobs)))
	for _, n := range r.Blobs {
		b = appendText(b, n)
	}
	parts = append(parts, b)
	return append(parts, binary.LittleEndian.AppendUint32(nil, checksum(parts...)))
}

// decodeRecord reads a record that fills b; contents are slices of b.
func decodeRecord(b []byte) (*Record, error) {
	if len(b) < 4 || checksum(b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return nil, errDamaged
	}
	r := &reader{b: b[:len(b)-4], ok: true}
	rec := &Record{}
	if string(r.take(4)) != recordMagic {
		return nil, errDamaged
	}
	for n := r.u32(); n > 0 && r.ok; n-- {
		f := RecordFile{Path: r.text(), Before: r.text(), After: r.text()}
		inPlace := r.u8()
		f.InPlace = inPlace == 1
		size, sizeNew := r.u64(), r.u64()
		if f.InPlace {
			f.Old, f.New = r.take(size), r.take(sizeNew)
		} else if size != 0 || sizeNew != 0 {
			return nil, errDamaged
		}
		if inPlace > 1 || !isMark(f.Before) || !isMark(f.After) {
			return nil, errDamaged
		}
		rec.Files = append(rec.Files, f)
	}
	for n := r.u32(); n > 0 && r.ok; n-- {
		name := r.text()
		if CheckName(name) != nil {
			return nil, errDamaged
		}
		rec.Blobs = append(rec.Blobs, name)
	}
	if !r.ok || len(r.b) > 0 {
		return nil, errDamaged
	}
	return rec, nil
}

func isMark(s string) bool { return s == Directory || s == Link || isState(s) }

// ID tells the record from others of the session.
func (r *Record) ID() string { return r.file }

// A Blob is a state blob that a set brings.
type Blob struct {
	Name string
	Data []byte
}

// Stage writes the blobs beside the present ones. They count when the record
// that names them is committed. Errors as of Put; nothing is staged then.
func (t *Tx) Stage(blobs []Blob) (err error) {
	sizes := map[string]int64{}
	for _, b := range blobs {
		if err := CheckName(b.Name); err != nil {
			return err
		}
		sizes[b.Name] = int64(len(b.Data))
	}
	if err := t.sweepStaged(); err != nil {
		return err
	}
	if err := t.s.checkQuota(sizes); err != nil {
		return err
	}
	for i, b := range blobs {
		if err := t.s.state.write(blobFile(b.Name, nextExt), b.Data); err != nil {
			for _, b := range blobs[:i] {
				_ = t.s.state.remove(blobFile(b.Name, nextExt))
			}
			return stateError(b.Name, err)
		}
	}
	return nil
}

// sweepStaged removes staged blobs that no record names: those of a process that
// was killed before it wrote one.
func (t *Tx) sweepStaged() error {
	files, err := t.s.state.names()
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasSuffix(f, nextExt) })
	if len(files) == 0 {
		return nil
	}
	records, err := t.Records()
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, r := range records {
		for _, n := range r.Blobs {
			named[blobFile(n, nextExt)] = true
		}
	}
	for _, f := range files {
		if !named[f] {
			if err := t.s.state.remove(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unstage removes what Stage wrote, for a set that got no record.
func (t *Tx) Unstage(blobs []Blob) error {
	var errs []error
	for _, b := range blobs {
		errs = append(errs, t.s.state.remove(blobFile(b.Name, nextExt)))
	}
	return errors.Join(errs...)
}

// Journal writes r, or writes it again after a change. After it, r.Commit or
// r.Drop must be called; if neither comes, Records returns r to the next process.
func (t *Tx) Journal(r *Record) error {
	r.tx = t
	if r.file == "" {
		if err := t.s.lock.setCount(journalRecords, t.s.lock.count(journalRecords)+1); err != nil {
			return err
		}
		r.file = fmt.Sprintf("%016x%s", time.Now().UnixNano(), recordExt)
	}
	return t.s.journal.write(r.file, r.encode()...)
}

// Commit makes the staged blobs count and removes the record: the set happened.
func (r *Record) Commit() error {
	for _, n := range r.Blobs {
		err := r.tx.s.state.rename(blobFile(n, nextExt), blobFile(n, blobExt))
		// A later Put or Delete of the name has removed what was staged.
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if len(r.Blobs) > 0 {
		if err := r.tx.s.state.sync(); err != nil {
			return err
		}
	}
	return r.tx.s.journal.remove(r.file)
}

// Drop removes the staged blobs and the record: the set did not happen.
func (r *Record) Drop() error {
	for _, n := range r.Blobs {
		if err := r.tx.s.state.remove(blobFile(n, nextExt)); err != nil {
			return err
		}
	}
	return r.tx.s.journal.remove(r.file)
}

// Settled reports whether Records would return nothing: it has, and no process has
// written a record since. It needs no lock, and no list of a directory. False is
// no more than "have a look".
func (s *Session) Settled() bool { return s.settled.Load() == s.lock.count(journalRecords)+1 }

// Records returns what killed processes left in the journal, oldest first. A
// damaged record is dropped.
func (t *Tx) Records() ([]*Record, error) {
	rs, err := t.records()
	if err == nil && len(rs) == 0 {
		t.s.settled.Store(t.s.lock.count(journalRecords) + 1)
	}
	return rs, err
}

func (t *Tx) records() ([]*Record, error) {
	names, err := t.s.journal.names()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var rs []*Record
	for _, name := range names {
		if name == tempName { // of a killed process
			if err := t.s.journal.remove(name); err != nil {
				return nil, err
			}
		}
		if _, err := strconv.ParseUint(strings.TrimSuffix(name, recordExt), 16, 64); err != nil ||
			!strings.HasSuffix(name, recordExt) {
			continue
		}
		b, err := t.s.journal.read(name, maxRecord)
		if err == nil {
			var r *Record
			if r, err = decodeRecord(b); err == nil {
				r.file, r.tx = name, t
				rs = append(rs, r)
				continue
			}
		}
		if !errors.Is(err, errDamaged) {
			return nil, fmt.Errorf("journal: %w", err)
		}
		t.s.log.Warn("journal record dropped", "file", name, "error", err)
		if err := t.s.journal.remove(name); err != nil {
			return nil, err
		}
	}
	return rs, nil
}

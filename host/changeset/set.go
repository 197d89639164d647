package changeset

import (
	"github.com/ohhost/ohhost/host/text"
)

// An Op says what a Change does. The words are those of abi, "Services".
type Op string

// The operations.
const (
	Put    Op = "put"    // the whole file, made or replaced
	Edit   Op = "edit"   // splices over the decoded text of an existing file
	Delete Op = "delete" // a file, or a link itself
	Move   Op = "move"   // a file, or a link itself, to a name that is free
	Mkdir  Op = "mkdir"  // one directory, 0777 &^ umask
	Undo   Op = "undo"   // the newest entry of an undo key
)

// A Change is what happens to one file.
type Change struct {
	Op Op
	// Path is the file, absolute, as the caller writes it. Put, Edit and Undo
	// follow a link at its end, the others do not.
	Path string
	// To is the new name, for Move; on the same file system, else EXDEV.
	To string
	// Data is the new content, for Put. It is kept in the Outcome and must not be
	// changed.
	Data []byte
	// Splices are in bytes of the decoded text, for Edit.
	Splices []text.Splice
	// Expect is the SHA-256 in hex of the file as the caller read it (for a link,
	// of what it leads to), abi.Absent for a file that must not exist, or empty.
	Expect string
	// Max is the largest size in bytes that the file may get, and for Edit that it
	// may have; 0 is no limit.
	Max int64
	// Undo is the key of the undo history, any bytes; empty for none. Undo of the
	// operation Undo is the key whose newest entry is taken back. Move and Mkdir
	// have none, and a removed link makes no entry.
	Undo string
	// UndoNew puts the new bytes onto the history instead of those from before,
	// so that undoing gives them back (spec/tools.md, file_editor, "create").
	UndoNew bool
}

// A StatePut makes or replaces a state blob of the session.
type StatePut struct {
	Name string
	Data []byte
}

// A Set is applied whole or not at all.
type Set struct {
	Changes []Change
	State   []StatePut
}

// An Outcome is what became of one change.
type Outcome struct {
	// Path is the file that was changed, resolved; for Move the new name.
	Path string
	// From is the old name, resolved, for Move.
	From string
	// Created says that Path did not exist before.
	Created bool
	// Size and Digest are those of the file now; 0 and "" where there is none.
	Size   int64
	Digest string
	// ConvertedFrom is the encoding (IANA name) that an Edit could not keep; the
	// whole file is UTF-8 now. Empty in all other cases.
	ConvertedFrom string
	// Before and After are the bytes on disk, nil where there is no file (or, for
	// Delete and Move, one over abi.MaxFrame bytes). For Move both are the file's.
	Before, After []byte
	// Unsynced is nil, or why the change, which everybody sees from now on, may be
	// taken back by a power cut: its directory could not be synced. It is the news
	// of a failing disk, for a log; who made the change must not be told that it
	// failed, because it did not, and can be undone.
	Unsynced error
	// OldText and NewText are the texts, decoded, with LF line ends; nil where
	// there is no file or no text.
	OldText, NewText []byte
}

// Options of Apply. Nil and the zero value are good.
type Options struct {
	// NoSync leaves out fsync: a set survives a killed process, not a power cut.
	// It exists for benchmarks only.
	NoSync bool
	// DryRun computes and checks everything and writes nothing at all.
	DryRun bool
	// MaxBytes is how many bytes the new contents of files and the blobs may have
	// together; 0 is no limit. Undo entries and the journal are bounded by the
	// session.
	MaxBytes int64
}

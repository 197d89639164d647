package abi

// A Result is what a tool answers: the content a model reads, whether it is an
// error that the model should read, and the tool's own fields.
type Result struct {
	Content []Part `json:"content"`
	// Fields are the observation's other fields, by name, in the order given.
	// None may be called "content" or "is_error".
	Fields  []Field `json:"-"`
	IsError bool    `json:"is_error"`
	// Usage is what the call used, as the host counted it; it is no part of what
	// is shown to a model. Nil where nobody counted.
	Usage *Usage `json:"-"`
}

// Usage is what one call of a guest used.
type Usage struct {
	// Fuel is computing, in units of about one simple instruction. It is the same
	// for the same module and input on every machine.
	Fuel uint64 `json:"fuel"`
	// HostCalls counts calls of the host and operations on files.
	HostCalls int `json:"host_calls"`
	// MemoryPages is how large the guest's memory became, in pages of 64 KiB.
	MemoryPages uint32 `json:"memory_pages"`
}

// A Part is one piece of content: a text, or an image as bytes.
type Part struct {
	Text  string // when Image is nil
	Image []byte
	MIME  string // of Image, "image/png"
}

// A Field is a named value of an observation: Value as JSON, or, when Value is
// empty, Text as a string. A long text stays outside JSON until it is printed.
type Field struct {
	Name  string
	Value JSON
	Text  []byte
}

// An Entry is one record of the files service's list. On the wire:
//
//	u8 type | u8 target | u16 name_len | u32 mode | u64 size | i64 mtime_ns | name
//
// type and target are one of the Type constants; target is that of what a link
// leads to (TypeNone where it is missing or outside the grants, or list was not
// asked to follow), and equal to type for all else.
type Entry struct {
	Name   string // raw bytes, never "." or ".."
	Type   byte
	Target byte
	Mode   uint32 // the twelve permission bits
	Size   int64  // bytes
	MTime  int64  // nanoseconds since 1970
}

// Types of an Entry.
const (
	TypeNone  = 0
	TypeFile  = 1
	TypeDir   = 2
	TypeLink  = 3
	TypeOther = 4
)

// TypeName returns the word that stat uses for a type: "file", "dir", "link",
// "other", or "" for TypeNone.
func TypeName(t byte) string {
	return [...]string{"", "file", "dir", "link", "other"}[min(t, TypeOther)]
}

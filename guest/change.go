package guest

import "github.com/ohhost/ohhost/abi"

// A Change is one change to one file, see apply in package abi. Make it with
// Put, Edit, Delete, Move, Mkdir or Undo and set the other fields as needed.
type Change struct {
	Op      string   // "put", "edit", …
	Path    string   // absolute
	To      string   // of a move, absolute
	Data    []byte   // of a put
	Splices []Splice // of an edit, ascending, not overlapping
	Key     string   // of an undo: which history

	// Expect is the digest of the file as it was read, or abi.Absent; the set is
	// refused (abi.ErrChanged) when the file is another. Empty expects nothing.
	Expect string
	Max    int64 // largest size in bytes that the file may get; 0 is no limit
	// History is the key under which the bytes from before go onto the session's
	// undo history; empty keeps none. With HistoryNew it is the new bytes, so that
	// undoing gives them back.
	History    string
	HistoryNew bool
}

// A Splice replaces Del bytes at At of the text that ReadText gave by Insert.
type Splice struct {
	At, Del int
	Insert  []byte
}

// Put is a change that writes a whole file, new or not.
func Put(path string, data []byte) Change { return Change{Op: "put", Path: path, Data: data} }

// Edit is a change of places in a text file.
func Edit(path string, splices ...Splice) Change {
	return Change{Op: "edit", Path: path, Splices: splices}
}

// Delete is a change that removes a file or a link.
func Delete(path string) Change { return Change{Op: "delete", Path: path} }

// Move is a change of a file's name.
func Move(path, to string) Change { return Change{Op: "move", Path: path, To: to} }

// Mkdir is a change that makes a directory.
func Mkdir(path string) Change { return Change{Op: "mkdir", Path: path} }

// Undo is a change that puts the newest entry of the history key back.
func Undo(path, key string) Change { return Change{Op: "undo", Path: path, Key: key} }

// A StatePut stores a value of the state service in the same set as changes of
// files, so that both happen or neither.
type StatePut struct {
	Name string
	Data []byte
}

// A ChangeSet is applied whole or not at all.
type ChangeSet struct {
	Changes []Change
	State   []StatePut
}

// A Changed is what became of one change.
type Changed struct {
	Created bool
	Size    int64  // of the file now, bytes
	Digest  string // of the file now, SHA-256 in hex
	// ConvertedFrom is the IANA name of the file's old encoding when the new text
	// did not fit it and the whole file became UTF-8; else empty.
	ConvertedFrom    string
	OldText, NewText Blob // with LF line ends; NoBlob where it is no text
}

// Apply is ApplySet for changes of files alone.
func (f Files) Apply(changes ...Change) ([]Changed, error) {
	return f.ApplySet(&ChangeSet{Changes: changes})
}

// ApplySet changes files and state in one transaction and returns one Changed
// for each change. Data and insertions are copied once, into the request.
func (f Files) ApplySet(set *ChangeSet) ([]Changed, error) {
	req := newRequest(abi.ServiceFiles, "apply")
	req.key("changes")
	req.raw("[")
	for i := range set.Changes {
		req.change(&set.Changes[i])
	}
	req.raw("]")
	if len(set.State) > 0 {
		req.key("state")
		req.raw("[")
		for _, put := range set.State {
			req.sep()
			req.raw("{")
			req.stringMember("name", put.Name)
			req.intMember("data", req.attach(put.Data))
			req.raw("}")
		}
		req.raw("]")
	}
	o, _, err := invoke(f.host, abi.ServiceFiles, req)
	if err != nil {
		return nil, err
	}
	if e, ok := o.Get("error").Object(); ok {
		path := ""
		if i, ok := e.Int("change"); ok && i >= 0 && i < int64(len(set.Changes)) {
			path = set.Changes[i].Path
		}
		return nil, fileError(req.op, path, e)
	}
	changed := make([]Changed, 0, len(set.Changes))
	for v := range o.Get("changes").Items() {
		m, _ := v.Object()
		c := Changed{OldText: blob(m, "old_text"), NewText: blob(m, "new_text")}
		c.Created, _ = m.Bool("created")
		c.Size, _ = m.Int("size")
		c.Digest, _ = m.Str("digest")
		c.ConvertedFrom, _ = m.Str("converted_from")
		changed = append(changed, c)
	}
	if len(changed) != len(set.Changes) {
		return nil, &FileError{Op: req.op, Kind: abi.ErrInvalid, Message: "the answer does not list every change"}
	}
	return changed, nil
}

func blob(o Object, key string) Blob {
	if n, ok := o.Int(key); ok {
		return Blob(n)
	}
	return NoBlob
}

// change appends one change to the request.
func (r *request) change(c *Change) {
	r.sep()
	r.raw("{")
	r.stringMember("op", c.Op)
	r.intMember("path", r.attach(Bytes(c.Path)))
	switch c.Op {
	case "put":
		r.intMember("data", r.attach(c.Data))
	case "edit":
		r.key("splices")
		r.raw("[")
		for _, s := range c.Splices {
			r.sep()
			r.raw("[")
			r.int(s.At)
			r.raw(",")
			r.int(s.Del)
			r.raw(",")
			r.int(r.attach(s.Insert))
			r.raw("]")
		}
		r.raw("]")
	case "move":
		r.intMember("to", r.attach(Bytes(c.To)))
	case "undo":
		r.intMember("undo", r.attach(Bytes(c.Key)))
	}
	if c.Expect != "" {
		r.stringMember("expect", c.Expect)
	}
	if c.Max > 0 {
		r.intMember("max", int(c.Max))
	}
	if c.History != "" && c.Op != "undo" {
		r.intMember("undo", r.attach(Bytes(c.History)))
		r.boolMember("undo_new", c.HistoryNew)
	}
	r.raw("}")
}

// Package session keeps what outlives a call: the private directory of one
// session with its named state blobs, its undo history, and the place where long
// outputs are saved. Several processes may use the same session at once; one
// lock orders them.
//
//	s, err := session.Open(dir, nil)
//	err = s.Put(ctx, "todo", []byte("…"))
//	data, ok, err := s.Get(ctx, "todo")
//
// A transaction on files (package changeset) takes the lock with Begin, so that
// its history, its blobs and its journal belong together:
//
//	tx, err := s.Begin(ctx)
//	defer tx.End()
//	p, err := tx.Prepare(&session.Entry{Key: path, …}) // durable, not yet part of the history
//	… the file is renamed …
//	err = p.Commit()
//
// What is between Prepare and Commit when a process is killed is settled by the
// next one that uses the key, see Tx.Settle.
//
// On disk (every file 0600, every directory 0700):
//
//	lock                        flock; holds a counter of the history's changes
//	state/<base32 of name>.blob a blob; .next: one that a set has staged
//	undo/<seq>-<key>-<size>.entry   an undo entry; .new and .undo: see undo.go
//	journal/<seq>.set           a set that cannot be decided by its undo entry alone
//	outputs/<tool>-<random>.txt a text that was too long for the model; made when first needed
//
// What it is not: a place for secrets, or a database. It does not look at the
// files that its history is about; whoever calls it does.
package session

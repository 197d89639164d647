// Package changeset applies what a tool wants changed to granted files: one set
// is one transaction. The set also carries undo entries and state blobs of the
// session, which are written or not written together with the files.
//
//	out, err := changeset.Apply(ctx, jail, session, &changeset.Set{
//		Changes: []changeset.Change{{Op: changeset.Put, Path: "/w/a", Data: data, Expect: digest, Undo: "/w/a"}},
//	}, nil)
//
// How it goes: resolve the paths; lock the targets' parent directories in one
// order; see that the paths still lead there; read the files and compare them
// with what the caller expects; stage the new contents beside the targets; sync;
// write undo entries, blobs and, where needed, the journal; rename; sync the
// directories; commit; unlock. Everything before the rename can be taken back,
// and what a killed process leaves is settled by the next Apply (see Recover).
//
// A replaced file keeps its mode, owner, group, access list and user attributes,
// and a link to it stays a link. A hard link is split: its other names keep the
// old contents. The file's own bytes are overwritten, with a copy in the
// session's journal until that is done, where a replacement would lose owner,
// group, mode or access list, where the file is itself a mount point, and where
// its directory is on a read-only file system and the file is not. A file that has
// other names is never written to like that: they may lie outside all grants. Nor
// is one in a directory that the user may not write to: that is an error.
//
// Locks are advisory: they order those who use this package. A writer that does
// not is noticed up to the moment of the rename, not later.
//
// What it is not: a way around the jail. It writes through directories that the
// jail has decided.
package changeset

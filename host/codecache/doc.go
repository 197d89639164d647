// Package codecache keeps compiled plugins on disk from one process to the next.
// What is in there is later run as native code, so the cache trusts nobody who can
// write to its files (threats S1 and S2): every entry carries a MAC under a key that
// lies outside the cache's directory, and the bytes that were verified are the
// bytes that are handed out.
//
//	c, err := codecache.Open(cacheDir, keyFile, nil)
//	entry, err := c.Load(name)          // fs.ErrNotExist, *PoisonedError, or verified bytes
//	… entry.Parts …
//	entry.Close()
//	err = c.Store(name, [][]byte{code}) // for the next process
//
// A name stands for one content for ever: it should hold a digest of the plugin,
// the versions of all that took part in compiling it, and the processor's
// features. The MAC tells that an entry is ours, not that it is the newest of its
// name.
//
// An engine that opens its files by path gets them through a [Scratch], a private
// directory of this process:
//
//	s, err := codecache.NewScratch()
//	end, err := s.Feed("wazero-v1.12.0-amd64-linux/"+digest, source)
//	… the engine loads what is below s.Path() …
//	err = errors.Join(end(), s.Close())
//
// # On disk
//
// The cache's directory and that of the key are 0700, every file is 0600:
//
//	<name>.entry   an entry, see entry.go
//	<random>.tmp   an entry that is being written
//	pruned         its time is when old entries were last looked for
//
// # Guarantee
//
// A directory is used only if it is this user's and no other user but root can
// write to it, or replace it or a directory that it lies in; and only through the
// handle that was checked. (exempt_linux.go has two exceptions for directories above
// it.) Without the key, an entry that was not stored under its name by this user is
// refused. Access lists are seen on Linux, where they show in a file's mode, and not
// on macOS. On Windows there are no modes: who may write to the directories of the
// user's profile is left to their access lists, only the kind of files is checked,
// and the scratch directories of killed processes stay.
//
// What it is not: a wall against other processes of the same user, who can read
// the key; nor a secret: entries are not encrypted. Plugins must be kept out of
// the cache, the key and [ScratchGlob] by whoever grants them files.
package codecache

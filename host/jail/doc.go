// Package jail is the capability filesystem: it decides on every path that a
// tool names, over the whole of what the caller granted, and opens what it has
// decided on, and nothing else. The files service and the WASI mount of a guest
// are both served by it.
//
//	j, err := jail.New(&tool.Grant{
//		Paths: []tool.PathGrant{{Path: "/w", Write: true}, {Path: "/w/vendor"}},
//		Deny:  []string{".env", "*.key"},
//	}, nil)
//	f, err := j.Open("/w/src/main.go")     // to read
//	t, err := j.Target("/w/new.txt", true) // to write: the open directory and the name in it
//
// # Decision
//
// A path is resolved as the kernel does, links and ".." included, and what it
// resolves to is decided, from the strongest rule to the weakest:
//
//  1. outside every grant: refused, the same whether something is there or not
//  2. a deny pattern of any granted directory that holds it: neither read nor write
//  3. the host's own (Options.Private): neither read nor write, and no write to
//     what leads there; Options.Open can be read
//  4. protected, as listed in protected.go, in any letter case: no write
//  5. the most specific grant: reading, or reading and writing
//
// A write is also held against 3 and 4 at each link that is followed, as its path
// is spelled there: .git/hooks/x is protected where .git is a link, and so is what
// a granted directory holds under any name by which it was granted. A link that
// the path does not go through is not looked for: the file that .bashrc leads to
// can be written by its own name.
//
// Deny patterns and those that lift protection are gitignore(5), relative to
// each granted directory (to its directory for a granted file). Deny patterns
// match in any letter case, their exceptions ("!") only as written. A name that
// may still become a directory is denied by a pattern for directories.
//
// A link inside a grant is followed, absolute or not, and its target decided
// anew; a hard link is a file like any other and is read and replaced, never
// made. procfs, sysfs and their like are refused wherever they are mounted;
// other mounts inside a grant are part of it. FIFOs, devices and sockets are
// described, but not opened: on Linux the object that was looked at is opened, and
// no other; with os.Root, or without /proc, one that takes the place of a file at
// that moment is opened without waiting, and closed.
//
// Target needs a directory that may be read, not only entered: a lock and a sync
// need it open.
//
// # Guarantee
//
// The granted directories are opened by New and held. From there each name is
// looked up in a directory that is already open, never through a link (openat2
// with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, or os.Root and a comparison of
// what was opened with what was seen); a link's text is read and walked by the
// jail itself. Nothing is checked first and opened by path later. So whatever
// others rename meanwhile, what is opened was reached from a held directory
// through real directories, under names that were allowed when they were looked
// up. On Linux the kernel is then asked what the path of the open object is, and
// a path that the table would refuse is walked again: at one moment after the
// open the object had an allowed path. Without /proc this last check is missing.
//
// What it is not: a wall against other processes of the same user. One that can
// rename directories can move a denied file to an allowed name, or, after it was
// opened, a directory into a protected place; no file system call can tell. Nor
// does it know that two names are one file: a bind mount or a hard link of a
// private file inside a grant is a file of the grant. An entry that is decided by
// Target is written by whoever holds its Dir.
package jail

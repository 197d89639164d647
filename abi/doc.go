// Package abi is the contract between the host and a plugin: the names a
// module exports and imports, the frame both sides exchange, and the JSON that
// travels in it. It is enough to write a plugin in C (testdata/guests/word.c is
// one). It imports the standard library only, and neither fmt nor reflection,
// because plugins link it.
//
// What it is not: a codec for the JSON headers. The host uses encoding/json,
// Go plugins use the small codec of package guest, others bring their own.
//
// # Module
//
// A plugin is a WASI preview 1 reactor: a core WebAssembly module that exports
// its memory as "memory" and, if it needs start-up code, "_initialize" (called
// once, before anything else; a start section is refused). It may import
// wasi_snapshot_preview1 and ohhost_v1 and nothing else; a function that this
// version does not have fails at link time. All integers are little-endian.
//
// Start-up code may run ahead of the calls: the host then keeps its memory and
// globals, also on disk, and lets every instance begin with them. So all instances
// may share what it drew from random_get, and must not build unique names on it. It
// sees no files and cannot call ohhost_v1; code that tries to, writes to a standard
// stream, or takes more than two seconds, runs in each call instead, under the call's
// deadline. So does that of a module whose code changes tables, or reads or drops
// data segments.
//
// Modules may use WebAssembly 2.0 (SIMD, bulk memory, reference types, multi-value),
// tail calls and extended constants; no threads, no exceptions, one memory. Names of
// imports and exports that begin with "ohhost_meter" are the host's own, which
// rewrites every module so that it can be stopped: see package host/instrument.
//
//	exports  oh_describe() -> i32          0: a frame was output
//	         oh_call(n i32) -> i32         n bytes of input wait; 0: a frame was output
//	imports  ohhost_v1.input(ptr i32, cap i32) -> i32
//	             copies up to cap unread input bytes to ptr; returns how many, 0 at the end
//	         ohhost_v1.output(ptr i32, len i32)
//	             appends bytes to the answer
//	         ohhost_v1.log(level i32, ptr i32, len i32)
//	             0 trace, 1 debug, 2 info, 3 warn, 4 error; UTF-8 text, one line
//	         ohhost_v1.progress(ptr i32, len i32)
//	             a small text or JSON value for the waiting user; may be dropped
//	         ohhost_v1.invoke(ptr i32, len i32) -> i64
//	             calls a service with the request frame at ptr; the length of the answer
//	             frame, which replaces all unread input (read it with input), or negative:
//	             -1 the frame is malformed, -2 no such service or not granted,
//	             -3 a limit of the call is used up
//
// The host pulls and pushes nothing: it never allocates in the guest, and no
// pointer survives a call. A pointer or length outside the memory, a non-zero
// return value, or an answer that is not a frame ends the call as a fault. Each
// call runs in a fresh instance; a guest is not told when it is cancelled.
//
// # Frame
//
//	u32 header_len | u32 n | n x u32 length | header (JSON, UTF-8) | n attachments
//
// Nothing follows the last attachment. Limits: header at most [MaxHeader]
// bytes, at most [MaxAttachments] attachments, the whole frame at most
// [MaxFrame] bytes. Unknown keys of a header are ignored.
//
// A header that a guest writes is I-JSON (RFC 7493): keys are case-sensitive, an
// object has none twice, numbers fit a float64. It is nested at most 64 deep and has
// at most 2^20 values. Text is UTF-8 without half surrogate pairs; in an answer,
// U+FFFD is put in the place of what is not, anywhere else the header is refused.
// Control characters are data, escaped as JSON wants it.
//
// # Describe
//
// oh_describe outputs a frame without attachments:
//
//	{"abi": "ohhost_v1", "tools": [Spec, …]}
//
// A [Spec] has name, title, description ("{{cwd}}" in it is replaced by the
// working directory when the tool is bound), inputSchema, outputSchema,
// annotations (MCP's) and needs. Needs inform the user; only a grant gives. With
// closedSchema arguments are checked against that in place of inputSchema: it
// may be stricter than what is published (forbid unknown fields, say).
//
// # Call
//
// The input of oh_call is a frame:
//
//	{"op": "call" | "keys", "tool": name, "id": text, "args": {…}, "cwd": text}
//
// Attachment 0 is the working directory as raw bytes ("cwd" is the same,
// with U+FFFD for bytes that are not UTF-8). args have been checked against the
// inputSchema. The answer is a frame with exactly one of
//
//	{"result": {"content": [Part, …], "fields": {…}, "is_error": bool}}
//	{"denied": {"path": text, "why": text, "write": bool}}
//	                                          a service refused, and so does the tool; write:
//	                                          the call means to write, also when a look was refused
//	{"raised": {"message": text}}             the tool itself failed
//	{"keys": [text, …]}                       for op "keys": calls that share a key do not overlap
//
// A Part is {"type": "text", "text": …}, {"type": "text", "attachment": i} or
// {"type": "image", "mime": "image/png", "attachment": i}; the host makes the
// data URL. A value of fields may be {"$attachment": i}, the text of that
// attachment of the answer, or {"$blob": n}, a text that the files service
// keeps for this call (see below), so that long texts need not pass through the
// guest. Fields may not be called "content" or "is_error".
//
// # Services
//
// A request's header is
//
//	{"service": "files" | "state", "op": name, the operation's own keys}
//
// Paths, names and contents travel as attachments, never as JSON strings. The
// answer's header has the operation's own keys, or
//
//	{"error": {"kind": …, "message": text, "errno": n, "name": "ENOENT", "size": n, "change": i}}
//
// kind "os": the operating system refused; errno, name and message (strerror's
// text, "No such file or directory") are set. "denied": the grant refused.
// "changed": the file is not what "expect" says. "too_large": over "max"; size
// is set. "not_regular": neither a regular file nor a directory.
// "encoding_unknown": the text cannot be encoded because the file's encoding is
// a guess. "no_undo": no entry. "not_found": no such blob or name. "quota": the
// call has written, or the session keeps, as much as it may. "invalid": the request
// itself is wrong. For apply, change is the index of the change at fault.
//
// # Limits
//
// Those marked * are defaults, of which who runs the host may choose others. What is
// over a limit of an answer ends the call as a fault; a service refuses what is over
// one of its own, and the call goes on.
//
//	module       64 MiB; 64 tools; a description of all in 16 MiB, of one in 64 KiB, a title in
//	             256 bytes, both without control characters but tab and newline; a schema 1 MiB
//	memory       256 MiB*; 262 144 table elements*
//	code         of one function 1 MiB, 5 000 locals, 10 000 nested blocks, and what compiling it
//	             takes; 100 000 functions, 5 000 types of 128 values, 2 000 globals (64 mutable)
//	calls        16 777 216* of the host's functions and operations on files
//	answer       header 16 MiB (put long texts into attachments)
//	result       64 parts; text 1 MiB* (of a longer one the model gets the beginning, and the name
//	             of a file with the whole); an image 20 MiB, all 64 MiB; all fields 64 MiB
//	raised, denied  each text 64 KiB, the rest is cut
//	keys         10 000, each 8 KiB
//	log          1000 lines*, 1 MiB*, 4 KiB of each line; a progress text 4 KiB
//	request      header 1 MiB; a path 4095 bytes, a key of the undo history 8 KiB
//	read         64 MiB, "max" or not; an edit is of a file and into one of up to 64 MiB
//	list         2^20 entries*
//	apply        10 000 files* and 1 GiB* written by a call ("quota"), state included; the texts of
//	             all changes are kept up to 256 MiB, then old_text and new_text are null
//	WASI         16 buffers of one read or write (a short count), 4096 subscriptions of one poll
//	             (EINVAL), one minute of one sleep, 256 open files* (one more is EAGAIN), the entries read of open directories 2^20*
//	             (ERANGE), 1 MiB for each read, a path 4095 bytes (ENAMETOOLONG)
//
// # Files and state
//
// Service "files" (attachment 0 is the path unless said otherwise; a path is
// absolute, guest path = host path; ".." and links are resolved as the kernel
// does, inside the grants only):
//
//	stat     {"follow": bool} -> {"type", "size", "mode", "mtime_ns"}
//	         type is "file", "dir", "link" or "other"; mode the twelve permission bits
//	realpath {} -> attachment 0: the path without links, "." and ".."
//	list     {"follow": bool, "max": n} -> {"count": n}; attachment 0: records (see [Entry]),
//	         sorted by name, byte by byte
//	read     {"max": n} -> {"size", "digest"}; attachment 0: the bytes
//	read     {"decode": true, "max": n} -> {"size", "digest", "encoding", "certain", "bom",
//	         "stray", "control", "line_end"}; attachment 0: the text; 1: the first 512 bytes
//	         Text is UTF-8, its line ends (CRLF, CR, LF) are LF, a byte order mark is left
//	         out, stray bytes (stray of them) show as U+FFFD. encoding is the IANA name,
//	         certain is false where it is a guess, control is true when the text holds one of
//	         U+0000-0008, U+000E-001F, U+007F, line_end is the prevailing one.
//	         A file that is no text in any encoding: {"size", "digest", "undecodable": reason},
//	         attachment 0 empty, 1 as above.
//	apply    {"changes": [Change, …], "state": [{"name", "data": i}, …]}
//	         -> {"changes": [{"created": bool, "size", "digest", "converted_from": text,
//	         "old_text": n, "new_text": n}, …]}
//	text     {"blob": n} -> attachment 0: the text of old_text or new_text
//
// digest is the SHA-256 of the file's bytes in hex. A Change is
//
//	{"op": "put",    "path": i, "data": i}         the whole file, created or replaced
//	{"op": "edit",   "path": i, "splices": [[at, del, i], …]}
//	{"op": "delete", "path": i}                    a file or a link
//	{"op": "move",   "path": i, "to": i}
//	{"op": "mkdir",  "path": i}
//	{"op": "undo",   "path": i, "undo": i}         the newest undo entry of that key
//
// where i is the index of an attachment, and each may have "expect": the digest
// of the file as it was read, or "absent" for a file that must not exist yet;
// "max": the largest size in bytes the file may get; "undo": i, under which key
// the bytes from before go onto the session's undo history ("undo_new": true:
// the new bytes, so that undoing gives them back). A set is applied whole or
// not at all. put writes bytes as they are. edit works on the decoded text:
// at and del count bytes of the text that read answered, splices ascend and do
// not overlap, a "\n" of the inserted text becomes the file's prevailing line
// end, and no byte outside what really differs is changed. When the inserted
// text cannot be written in the file's encoding, the whole file becomes UTF-8
// and converted_from names the old encoding. old_text and new_text are blobs:
// the texts before and after, with LF line ends; null where they are no text, or
// where the call keeps too many already.
//
// Service "state" (small named values of the session, names [A-Za-z0-9._-]{1,128}):
//
//	get    {"name"} -> {"found": bool}; attachment 0: the bytes
//	put    {"name"}; attachment 0: the bytes
//	delete {"name"}
//	list   {} -> {"names": [text, …]}
package abi

// Package ijson reads the JSON that a guest wrote: the headers of its answers,
// requests and descriptions. It takes I-JSON (RFC 7493) within bounds and
// nothing else, so that no two readers of a text can disagree about it, and no
// text costs much more than its bytes:
//
//	err := ijson.Unmarshal(header, &request)
//
// Refused are a name that an object has twice (RFC 7493, section 2.3), a number
// beyond a float64 (section 2.2), text that is not UTF-8 and \u escapes of half a
// surrogate pair (section 2.1), values nested deeper than [MaxDepth] and more than
// [MaxValues] of them. Names are compared by letter case: "OP" is not "op", where
// encoding/json takes one for the other. That was a way around checks elsewhere
// (CVE-2026-27896 in another SDK).
//
// What it is not: a parser of its own. encoding/json decides what is JSON and
// reads the single values; this package says what of it is taken, and walks the
// objects and arrays, without recursion and without copying.
package ijson

package selftest

import "context"

// A vector is an attack of docs/spec/threats.md.
type vector struct {
	id    string
	title string
	// try mounts the attack. It notes in the world what got through and what
	// stopped the rest; the world's own judges look at it afterwards.
	try func(ctx context.Context, w *world)
}

// Later is a vector whose target does not exist yet.
type Later struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// later are not tried: there is nothing to attack.
var later = []Later{
	{"F16", "changes of several files, and what happens between a dry run and its change: a set has one file yet"},
	{"F18", "search: there is no search tool yet"},
	{"R6", "archives: plugins are single files yet"},
}

// vectors are all that are tried, in the order of the list.
var vectors = []vector{
	{"F1", "odd spellings of paths that lead outside", tryF1},
	{"F2", "a link that the guest makes or moves", tryF2},
	{"F3", "links that are there already", tryF3},
	{"F4", "links with a slash, a dot or .. behind them", tryF4},
	{"F6", "a directory and a link trade places meanwhile", tryF6},
	{"F7", "hard links, and links from read-only to writable", tryF7},
	{"F8", "opening read-only files in every way that writes", tryF8},
	{"F9", "times, sizes, names and handles of read-only files", tryF9},
	{"F10", "the process itself, in /proc and /dev/fd", tryF10},
	{"F11", "devices, sockets, and pipes that block", tryF11},
	{"F12", "magic links to open files", tryF12},
	{"F13", "a file of 1 TiB, a large directory, writing without end", tryF13},
	{"F14", "git hooks, shell start-up files, keys, agent configuration", tryF14},
	{"F15", "the same under names that look different", tryF15},
	{"F17", "the granted directory is replaced or removed", tryF17},

	{"R1", "endless loops, recursion, call trees without loops", tryR1},
	{"R2", "bulk operations on memory and tables", tryR2},
	{"R3", "memory bombs", tryR3},
	{"R4", "table bombs", tryR4},
	{"R5", "modules that are hard to compile", tryR5},
	{"R7", "open files without end, and not closed", tryR7},
	{"R8", "a thousand calls at once, and calls that are cut off", tryR8},
	{"R9", "floods of log lines and output, malformed JSON", tryR9},
	{"R10", "floods of calls of the host", tryR10},
	{"R11", "sleeping, polling, turning back the clock", tryR11},
	{"R12", "random numbers without end", tryR12},
	{"R13", "small requests that ask for much memory", tryR13},
	{"R14", "deep stacks, and many locals", tryR14},

	{"A1", "pointers and lengths outside the guest's memory", tryA1},
	{"A2", "memory that moves while the host works on it", tryA2},
	{"A3", "wrong exports, failing start-up, calls from within a call", tryA3},
	{"A4", "descriptions that lie, hide text or never end", tryA4},
	{"A5", "tool names that collide or cannot be shown", tryA5},
	{"A6", "two answers, and actions after the deadline", tryA6},
	{"A7", "garbage in place of answers and requests", tryA7},

	{"S1", "other code in the cache of compiled plugins", tryS1},
	{"S2", "a cache that others can write to", tryS2},
	{"S7", "imports of functions that no plugin gets", tryS7},
	{"S8", "malformed and misleading modules", tryS8},
}

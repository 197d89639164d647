package guest

import "strconv"

// A writer puts JSON together. Its methods are calls, not appends at each place,
// which makes a module of many small pieces a good deal smaller.
type writer struct{ b []byte }

// raw writes JSON as it is.
//
//go:noinline
func (w *writer) raw(s string) { w.b = append(w.b, s...) }

// string writes a JSON string.
//
//go:noinline
func (w *writer) string(s string) { w.b = AppendString(w.b, s) }

// int writes a JSON number.
//
//go:noinline
func (w *writer) int(n int) { w.b = strconv.AppendInt(w.b, int64(n), 10) }

// sep writes a comma unless it follows an opening bracket.
//
//go:noinline
func (w *writer) sep() {
	if n := len(w.b); n > 0 && w.b[n-1] != '{' && w.b[n-1] != '[' {
		w.b = append(w.b, ',')
	}
}

// key writes the key of a member, with the comma before it.
//
//go:noinline
func (w *writer) key(k string) {
	w.sep()
	w.string(k)
	w.raw(":")
}

func (w *writer) stringMember(key, v string) {
	w.key(key)
	w.string(v)
}

func (w *writer) intMember(key string, v int) {
	w.key(key)
	w.int(v)
}

func (w *writer) boolMember(key string, v bool) {
	w.key(key)
	if v {
		w.raw("true")
	} else {
		w.raw("false")
	}
}

// strings writes an array of strings.
func (w *writer) strings(ss []string) {
	w.raw("[")
	for _, s := range ss {
		w.sep()
		w.string(s)
	}
	w.raw("]")
}

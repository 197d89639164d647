package text

import (
	"bytes"
	"unicode/utf8"
)

// maxLines bounds how long removed and inserted text may be for lines between
// them to be compared; more than a file of source has in 10 MiB.
const maxLines = 1 << 20

// refine appends to changes what the splice s really changes, with "\n" for
// every line end of its insertion.
func (d *Doc) refine(w watch, changes []Splice, s Splice) []Splice {
	w.check()
	old := d.Text[s.At : s.At+s.Del]
	insert := bytes.ReplaceAll(s.Insert, []byte("\r\n"), []byte{'\n'})
	n := commonPrefix(old, insert)
	at, old, insert := s.At+n, old[n:], insert[n:]
	n = commonSuffix(old, insert)
	old, insert = old[:len(old)-n], insert[:len(insert)-n]
	if len(old)+len(insert) == 0 {
		return changes
	}
	if !d.irregular() || bytes.Count(old, []byte{'\n'}) > maxLines || bytes.Count(insert, []byte{'\n'}) > maxLines {
		return append(changes, Splice{At: at, Del: len(old), Insert: insert})
	}
	// The first piece of both is no whole line if they begin inside one.
	skip := 0
	if at > 0 && d.Text[at-1] != '\n' {
		skip = 1
	}
	a, b := splitLines(old), splitLines(insert)
	doneA, doneB := 0, 0
	add := func(toA, toB int) {
		gone, added := size(a[doneA:toA]), bytes.Join(b[doneB:toB], nil)
		if gone+len(added) > 0 {
			changes = append(changes, Splice{At: at, Del: gone, Insert: added})
		}
		at += gone
	}
	for _, m := range commonLines(w, a[min(skip, len(a)):], b[min(skip, len(b)):]) {
		i, j := m.a+skip, m.b+skip
		add(i, j)
		at += len(a[i])
		doneA, doneB = i+1, j+1
	}
	add(len(a), len(b))
	return changes
}

// irregular reports whether a line that is written anew may get other bytes than
// it had. Only then do unchanged lines inside a splice matter.
func (d *Doc) irregular() bool {
	return d.Stray > 0 || d.codec.many || d.ends.mixed()
}

// commonPrefix is how many bytes of whole characters a and b, which are UTF-8,
// have in common at their start.
func commonPrefix(a, b []byte) int {
	most := min(len(a), len(b))
	n := 0
	for n+64 <= most && bytes.Equal(a[n:n+64], b[n:n+64]) {
		n += 64
	}
	for n < most && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && !utf8.RuneStart(a[n]) || n < len(b) && !utf8.RuneStart(b[n])) {
		n--
	}
	return n
}

// commonSuffix is how many bytes of whole characters a and b, which are UTF-8,
// have in common at their end.
func commonSuffix(a, b []byte) int {
	most := min(len(a), len(b))
	n := 0
	for n+64 <= most && bytes.Equal(a[len(a)-n-64:len(a)-n], b[len(b)-n-64:len(b)-n]) {
		n += 64
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(a[len(a)-n]) {
		n--
	}
	return n
}

// splitLines cuts b behind each "\n"; a last piece without one is a piece too.
func splitLines(b []byte) [][]byte {
	return bytes.SplitAfter(b, []byte{'\n'})
}

// size is how many bytes the lines are.
func size(lines [][]byte) int {
	n := 0
	for _, line := range lines {
		n += len(line)
	}
	return n
}

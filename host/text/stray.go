package text

import "unicode/utf8"

// countUTF8 counts the characters of more than one byte in b, and the bytes
// that belong to no character: stray ones.
func countUTF8(w watch, b []byte) (multi, stray int) {
	for i, next := 0, pieceSize; i < len(b); {
		if i >= next {
			w.check()
			next = i + pieceSize
		}
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := utf8.DecodeRune(b[i:])
		if n == 1 {
			stray++
		} else {
			multi++
		}
		i += n
	}
	return multi, stray
}

// replaceStray returns b as valid UTF-8, one U+FFFD for each stray byte, and
// how many those are. One for each byte, and not one for a broken sequence as
// in Python, so that every stray byte can be seen and edited.
func replaceStray(w watch, b []byte) (full []byte, stray int) {
	_, stray = countUTF8(w, b)
	full = make([]byte, 0, len(b)+stray*(len(replacement)-1))
	from := 0
	for i, next := 0, pieceSize; i < len(b); {
		if i >= next {
			w.check()
			next = i + pieceSize
		}
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := utf8.DecodeRune(b[i:])
		if n == 1 {
			full = append(full, b[from:i]...)
			full = append(full, replacement...)
			from = i + 1
		}
		i += n
	}
	return append(full, b[from:]...), stray
}

// restoreStray returns inserted with each U+FFFD in it written as the one at
// the same place in order of removed, the bytes that inserted replaces: what is
// shown as U+FFFD and sent back unchanged stays what it is on disk (FE-07). With
// another number of them there is no telling which is which, and they are text.
func restoreStray(inserted, removed []byte) []byte {
	var was [][]byte
	for i := 0; i < len(removed); {
		r, n := utf8.DecodeRune(removed[i:])
		if r == utf8.RuneError {
			was = append(was, removed[i:i+n])
		}
		i += n
	}
	if len(was) == 0 {
		return inserted
	}
	out := make([]byte, 0, len(inserted))
	k := 0
	for i := 0; i < len(inserted); {
		r, n := utf8.DecodeRune(inserted[i:])
		switch {
		case r != utf8.RuneError:
			out = append(out, inserted[i:i+n]...)
		case k < len(was):
			out = append(out, was[k]...)
			k++
		default:
			return inserted
		}
		i += n
	}
	if k < len(was) {
		return inserted
	}
	return out
}

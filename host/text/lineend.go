package text

import "bytes"

// lineEnds are how often a text ends its lines with LF, CRLF and CR. Nothing
// else ends a line: not VT, FF, NEL, U+2028 or U+2029 (FE-29).
type lineEnds struct {
	lf, crlf, cr int
}

// countLineEnds counts the line ends of full.
func countLineEnds(w watch, full []byte) lineEnds {
	n := lineEnds{lf: bytes.Count(full, []byte{'\n'})}
	for {
		i := bytes.IndexByte(full, '\r')
		if i < 0 {
			break
		}
		full = full[i+1:]
		if len(full) > 0 && full[0] == '\n' {
			n.crlf++
		} else {
			n.cr++
		}
		if (n.crlf+n.cr)%pieceSize == 0 {
			w.check()
		}
	}
	n.lf -= n.crlf
	return n
}

// mixed reports whether there are line ends of more than one kind.
func (n lineEnds) mixed() bool {
	most := max(n.lf, n.crlf, n.cr)
	return most != n.lf+n.crlf+n.cr
}

// prevailing is the most frequent line end of full, whose line ends n counts:
// of several the one that comes first, and LF where there is none.
func (n lineEnds) prevailing(full []byte) string {
	most := max(n.lf, n.crlf, n.cr)
	if most == 0 {
		return "\n"
	}
	for {
		i := bytes.IndexAny(full, "\r\n")
		switch {
		case full[i] == '\n':
			if n.lf == most {
				return "\n"
			}
		case i+1 < len(full) && full[i+1] == '\n':
			if n.crlf == most {
				return "\r\n"
			}
			i++
		case n.cr == most:
			return "\r"
		}
		full = full[i+1:]
	}
}

// toLF returns full with LF line ends: full itself where it has no others.
// There are n line ends. inPlace allows to write over full.
func toLF(w watch, full []byte, n lineEnds, inPlace bool) []byte {
	if n.crlf+n.cr == 0 {
		return full
	}
	out := full[:0]
	if !inPlace {
		out = make([]byte, 0, len(full)-n.crlf)
	}
	for done := 1; ; done++ {
		i := bytes.IndexByte(full, '\r')
		if i < 0 {
			return append(out, full...)
		}
		if done%pieceSize == 0 {
			w.check()
		}
		out = append(out, full[:i]...)
		out = append(out, '\n')
		full = full[i+1:]
		if len(full) > 0 && full[0] == '\n' {
			full = full[1:]
		}
	}
}

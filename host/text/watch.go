package text

import (
	"context"
	"errors"
	"iter"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// pieceSize is how many bytes are worked on before the context is asked: under a
// millisecond even in the slowest pass.
const pieceSize = 1 << 14

// A watch stops the work on a text when its context ends. A file of 64 MiB in an
// encoding that is hard to tell takes seconds, in a dozen passes over it; an error
// handed through all of them would be most of their code, so check panics, and
// caught, at the border of the package, makes an error of that.
type watch struct{ ctx context.Context }

// stopped is what check panics with.
type stopped struct{ err error }

func (w watch) check() {
	if err := w.ctx.Err(); err != nil {
		panic(stopped{err})
	}
}

// caught sets err to why the work was stopped, where it was.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case stopped:
		*err = r.err
	default:
		panic(r)
	}
}

// pieces yields b, which is UTF-8, in pieces that cut no character.
func (w watch) pieces(b []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			w.check()
			n := min(len(b), pieceSize)
			for n < len(b) && !utf8.RuneStart(b[n]) {
				n--
			}
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}

// transform is transform.Bytes, piece by piece.
func (w watch) transform(t transform.Transformer, src []byte) ([]byte, error) {
	dst := make([]byte, 0, len(src)+len(src)/2+64)
	for {
		w.check()
		piece := src[:min(len(src), pieceSize)]
		n, read, err := t.Transform(dst[len(dst):cap(dst)], piece, len(piece) == len(src))
		dst, src = dst[:len(dst)+n], src[read:]
		switch {
		case errors.Is(err, transform.ErrShortDst):
			dst = append(dst, make([]byte, cap(dst))...)[:len(dst)]
		case errors.Is(err, transform.ErrShortSrc) && read > 0 && len(src) > len(piece)-read:
			// The end of the piece is inside a character: the next one begins there.
		case err != nil:
			return nil, err
		case len(src) == 0:
			return dst, nil
		}
	}
}

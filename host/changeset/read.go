package changeset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/jail"
)

// pieceSize is how many bytes are read or written before the context is asked.
const pieceSize = 1 << 20

// read learns what the target holds: info, file, state and out.Before. limit is
// the largest size in bytes that is read, over it *TooLargeError.
func (w *work) read(ctx context.Context, limit int64) error {
	w.state = abi.Absent
	f, info, err := openRegular(w.target.Dir, w.target.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if isOne(err, syscall.ELOOP) {
		// The target was resolved: a link is there since then.
		return ErrChanged
	}
	if err != nil {
		return osError("open", w.Path, err)
	}
	w.file, w.info = f, info
	if w.info.Size() > limit {
		return &TooLargeError{Size: w.info.Size()}
	}
	w.out.Before, w.state, err = readAll(ctx, f, w.info.Size(), limit)
	return osNil("read", w.Path, err)
}

// openRegular opens and describes a regular file for reading; a directory is
// EISDIR, what is neither jail.ErrNotRegular.
func openRegular(dir *jail.Dir, name string) (*os.File, fs.FileInfo, error) {
	f, err := dir.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = syscall.EISDIR
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: name, Err: jail.ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readAll reads f, of at most limit bytes, into one buffer of about its size: a file
// of 10 MiB must not cost more than itself. The buffer is nil only with an error.
func readAll(ctx context.Context, f *os.File, size, limit int64) (b []byte, digest string, err error) {
	b = make([]byte, 0, size+1) // one more, to see the end without growing
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
		n, err := f.Read(b[len(b):min(cap(b), len(b)+pieceSize)])
		h.Write(b[len(b) : len(b)+n])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return nil, "", err
		case int64(len(b)) > limit:
			return nil, "", &TooLargeError{Size: int64(len(b))}
		case len(b) == cap(b): // it grows while we read
			b = append(b, 0)[:len(b)]
		}
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digestOf is the digest of what f holds from its start.
func digestOf(ctx context.Context, f *os.File) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		_, err := io.CopyN(h, f, pieceSize)
		if errors.Is(err, io.EOF) {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// unchanged says whether the target is still what was read, as far as its inode
// tells. Those who do not take our lock are noticed here or not at all.
func (w *work) unchanged() error {
	now, err := w.target.Dir.Lstat(w.target.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if w.info != nil {
			return ErrChanged
		}
		return nil
	case err != nil:
		return osError("stat", w.Path, err)
	case w.info == nil, !sameFile(w.info, now), w.info.Size() != now.Size(), !w.info.ModTime().Equal(now.ModTime()):
		return ErrChanged
	case w.inPlace != nil && links(now) > 1:
		return ErrChanged
	}
	return nil
}

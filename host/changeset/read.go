package changeset

import (
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

// read learns what the target holds: info, file, state and out.Before. limit is
// the largest size in bytes that is read, over it *TooLargeError.
func (w *work) read(limit int64) error {
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
	if w.out.Before, err = readAll(f, w.info.Size()); err != nil {
		return osError("read", w.Path, err)
	}
	w.state = digest(w.out.Before)
	return nil
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

// readAll reads f into one buffer of about its size: a file of 10 MiB must not
// cost more than itself. It is never nil.
func readAll(f *os.File, size int64) ([]byte, error) {
	b := make([]byte, 0, size+1) // one more, to see the end without growing
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digestOf is the digest of what f holds from its start.
func digestOf(f *os.File) (string, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
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

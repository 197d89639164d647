package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Limits of the outputs that a session keeps; the oldest give way.
const (
	// MaxOutputs is how many files there are.
	MaxOutputs = 64
	// MaxOutputBytes is their size in bytes together.
	MaxOutputBytes = 256 << 20
)

// ErrOutput means that a text is larger than all outputs together may be.
var ErrOutput = fmt.Errorf("a saved output has at most %d bytes", MaxOutputBytes)

// writeSize is how many bytes are written before the context is asked.
const writeSize = 1 << 20

// Outputs returns the directory for long outputs that are saved for the model.
// It may not exist yet.
func (s *Session) Outputs() string { return filepath.Join(s.dir, "outputs") }

// SaveOutput writes a text that a tool put out, which may come in pieces, to a new
// file of Outputs and returns its path. Older outputs are removed where there are
// too many or they are too large together, never the one just written. The file is
// not synced: it is worth no wait. Errors: ErrOutput, ctx's, or one of the file
// system; then there is no file.
func (s *Session) SaveOutput(ctx context.Context, tool string, pieces ...[]byte) (string, error) {
	var size int64
	for _, p := range pieces {
		size += int64(len(p))
	}
	if size > s.maxOutputs {
		return "", ErrOutput
	}
	// Among processes nothing keeps order: together they may keep a file more each.
	s.saving.Lock()
	defer s.saving.Unlock()
	dir, err := s.openOutputs()
	if err != nil {
		return "", outputError(err)
	}
	defer dir.Close()
	if err := makeRoom(dir, s.maxOutputs-size); err != nil {
		return "", outputError(err)
	}
	name := outputName(tool)
	if err := writeOutput(ctx, dir, name, pieces); err != nil {
		_ = dir.Remove(name)
		return "", outputError(err)
	}
	return filepath.Join(s.Outputs(), name), nil
}

// openOutputs opens the directory, which it makes where it is missing.
func (s *Session) openOutputs() (*os.Root, error) {
	if err := s.root.Mkdir("outputs", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.root.OpenRoot("outputs")
}

// outputName is a name that nobody has taken.
func outputName(tool string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return tool + "-" + hex.EncodeToString(b[:]) + ".txt"
}

func writeOutput(ctx context.Context, dir *os.Root, name string, pieces [][]byte) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, p := range pieces {
		for len(p) > 0 && err == nil {
			if err = ctx.Err(); err == nil {
				n := min(len(p), writeSize)
				_, err = f.Write(p[:n])
				p = p[n:]
			}
		}
	}
	return errors.Join(err, f.Close())
}

// makeRoom removes the oldest outputs until there is room for one more, and those
// that are left have at most size bytes.
func makeRoom(dir *os.Root, size int64) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	var total int64
	for _, name := range names {
		info, err := dir.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // another process removed it, or it is none of ours
		}
		files, total = append(files, info), total+info.Size()
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for i, f := range files {
		if len(files)-i < MaxOutputs && total <= size {
			break
		}
		if err := dir.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.Size()
	}
	return nil
}

// outputError leaves the path out of an error of the file system: whoever reads
// it knows nothing of the file.
func outputError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

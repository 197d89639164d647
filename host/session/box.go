package session

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// tempName is where a file is written before it gets its name. There is one
// writer at a time (the holder of the lock), so what a killed one left behind is
// simply overwritten.
const tempName = "tmp"

// A box is one flat directory of the session. Only the holder of the lock uses
// it.
type box struct {
	root   *os.Root
	dir    *os.File // the same directory, for listing and fsync
	noSync bool
}

func openBox(parent *os.Root, name string, noSync bool) (*box, error) {
	if err := parent.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &box{root: root, dir: dir, noSync: noSync}, nil
}

func (b *box) close() error { return errors.Join(b.root.Close(), b.dir.Close()) }

// write makes or replaces the named file with parts, one after the other, all
// or nothing, and has it on disk when it returns.
func (b *box) write(name string, parts ...[]byte) error {
	if err := b.fill(tempName, parts); err != nil {
		return err
	}
	if err := b.root.Rename(tempName, name); err != nil {
		_ = b.root.Remove(tempName)
		return err
	}
	return b.sync()
}

// create is write for a name that is not taken, and whose readers can tell a file
// that a killed process has not finished.
func (b *box) create(name string, parts ...[]byte) error {
	if err := b.fill(name, parts); err != nil {
		return err
	}
	return b.sync()
}

// fill makes the named file hold parts, on disk; where it fails, there is none.
func (b *box) fill(name string, parts [][]byte) (err error) {
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = b.root.Remove(name)
		}
	}()
	for _, p := range parts {
		if _, err := f.Write(p); err != nil {
			f.Close()
			return err
		}
	}
	if !b.noSync {
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// sync makes earlier renames and removals durable.
func (b *box) sync() error {
	if b.noSync {
		return nil
	}
	return syncDir(b.dir)
}

func (b *box) rename(from, to string) error { return b.root.Rename(from, to) }

// remove removes the named file; one that is missing is no error.
func (b *box) remove(name string) error {
	if err := b.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// read returns the named file; one that is missing is fs.ErrNotExist, one over
// limit bytes is errDamaged.
func (b *box) read(name string, limit int64) ([]byte, error) {
	f, err := b.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errDamaged
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	return data, nil
}

// readHead returns up to n bytes of the start of the named file.
func (b *box) readHead(name string, n int) ([]byte, error) {
	f, err := b.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

// names lists the directory, in no order.
func (b *box) names() ([]string, error) {
	if _, err := b.dir.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return b.dir.Readdirnames(-1)
}

package codecache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A dir is a private directory that is held open. What is read and written goes
// through the handle that was checked, whatever its path leads to by then.
type dir struct {
	path string        // without links, when it was opened
	way  []fs.FileInfo // the directories it lies in, from the top, and itself
	root *os.Root
	file *os.File // the same directory, to list it and to open files without following links
}

// openDir opens a directory that belongs to this user and that nobody else can
// write to or replace. It is made 0700, with those above it, where it is missing.
func openDir(path string) (_ *dir, err error) {
	resolved, way, err := walk(path, true)
	if err != nil {
		return nil, err
	}
	d := &dir{path: resolved, way: way}
	if d.root, err = os.OpenRoot(resolved); err != nil {
		return nil, err
	}
	if d.file, err = d.root.Open("."); err != nil {
		d.root.Close()
		return nil, err
	}
	info, err := d.file.Stat()
	switch {
	case err != nil:
	case !os.SameFile(info, d.self()):
		err = fmt.Errorf("%s was replaced while it was opened", resolved)
	default:
		err = checkOwn(resolved, info)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// self is the directory as it was when it was opened.
func (d *dir) self() fs.FileInfo { return d.way[len(d.way)-1] }

func (d *dir) close() error { return errors.Join(d.root.Close(), d.file.Close()) }

// read returns the bytes of a file: one open that follows no link, one look at what
// was opened, one read. What is not a private regular file of this user, of up to
// limit bytes, is an unfitError. It is not mapped into memory: a file that is cut
// short while it is mapped kills the process.
func (d *dir) read(name string, limit int64) (*buffer, fs.FileInfo, error) {
	f, err := d.open(name)
	if err != nil {
		if seen, failed := d.root.Lstat(name); failed == nil {
			if unfit := checkFile(seen); unfit != nil {
				return nil, nil, unfit
			}
			if errors.Is(err, fs.ErrPermission) {
				return nil, nil, unfitError("it cannot be read")
			}
		}
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if err := checkFile(info); err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, unfitError(fmt.Sprintf("it has %d bytes, more than %d", info.Size(), limit))
	}
	data := newBuffer(int(info.Size()))
	if n, err := io.ReadFull(f, data.b); err != nil && n < len(data.b) {
		data.free()
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = unfitError("it was cut short while it was read")
		}
		return nil, nil, err
	}
	return data, info, nil
}

// writeTemp writes a new file under a name of its own, on disk if sync is set. Where
// it fails, no file is left.
func (d *dir) writeTemp(data []byte, sync bool) (name string, err error) {
	name = rand.Text() + tempSuffix
	return name, writeNew(d.root, name, data, sync)
}

// writeNew writes a file that must not exist yet.
func writeNew(root *os.Root, name string, data []byte, sync bool) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = root.Remove(name)
	}
	return err
}

//go:build linux || darwin

package jail

import (
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"

	"github.com/ohhost/ohhost/abi"
)

// A guestFile is a file or directory that a guest has open for reading.
type guestFile struct {
	sealed
	fs     *guestFS
	object object
	closed atomic.Bool
}

var _ sys.File = (*guestFile)(nil)

func (f *guestFile) Dev() (uint64, sys.Errno)      { return f.object.info.dev, 0 }
func (f *guestFile) Ino() (wasys.Inode, sys.Errno) { return f.object.info.ino, 0 }
func (f *guestFile) IsDir() (bool, sys.Errno)      { return f.object.info.typ == abi.TypeDir, 0 }

func (f *guestFile) Stat() (wasys.Stat_t, sys.Errno) {
	i, err := statFile(f.object.file)
	if err != nil {
		return wasys.Stat_t{}, toErrno(err)
	}
	return i.wasi(), 0
}

func (f *guestFile) Read(buf []byte) (int, sys.Errno) {
	if f.object.info.typ == abi.TypeDir {
		return 0, sys.EISDIR
	}
	n, err := f.object.file.Read(buf)
	return n, readErrno(err)
}

func (f *guestFile) Pread(buf []byte, off int64) (int, sys.Errno) {
	if f.object.info.typ == abi.TypeDir {
		return 0, sys.EISDIR
	}
	n, err := f.object.file.ReadAt(buf, off)
	return n, readErrno(err)
}

func readErrno(err error) sys.Errno {
	if err == io.EOF {
		return 0
	}
	return toErrno(err)
}

// Seek moves the offset of a file. A directory can only be read again from its
// beginning.
func (f *guestFile) Seek(offset int64, whence int) (int64, sys.Errno) {
	if f.object.info.typ == abi.TypeDir && (offset != 0 || whence != io.SeekStart) {
		return 0, sys.EINVAL
	}
	n, err := f.object.file.Seek(offset, whence)
	return n, toErrno(err)
}

// Readdir returns up to n entries, those that List would return.
func (f *guestFile) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	if f.object.info.typ != abi.TypeDir {
		return nil, sys.ENOTDIR
	}
	var list []sys.Dirent
	err := f.fs.jail.table.Load().scan(&f.object, n, func(name string, i *info) error {
		st := i.wasi()
		list = append(list, sys.Dirent{Ino: i.ino, Name: name, Type: st.Mode.Type()})
		return nil
	})
	return list, toErrno(err)
}

func (f *guestFile) Close() sys.Errno {
	if f.closed.Swap(true) {
		return 0
	}
	f.fs.open.Add(-1)
	return toErrno(f.object.file.Close())
}

// sealed refuses what would change a file.
type sealed struct{ sys.UnimplementedFile }

func (sealed) SetAppend(bool) sys.Errno              { return sys.EROFS }
func (sealed) Write([]byte) (int, sys.Errno)         { return 0, sys.EROFS }
func (sealed) Pwrite([]byte, int64) (int, sys.Errno) { return 0, sys.EROFS }
func (sealed) Truncate(int64) sys.Errno              { return sys.EROFS }
func (sealed) Utimens(int64, int64) sys.Errno        { return sys.EROFS }

// emptyRoot stands for "/" where it is not granted.
type emptyRoot struct {
	sealed
	fs     *guestFS
	closed atomic.Bool
}

var (
	_             sys.File = (*emptyRoot)(nil)
	emptyRootStat          = wasys.Stat_t{Mode: fs.ModeDir | 0o555, Nlink: 1}
)

func (*emptyRoot) IsDir() (bool, sys.Errno)              { return true, 0 }
func (*emptyRoot) Stat() (wasys.Stat_t, sys.Errno)       { return emptyRootStat, 0 }
func (*emptyRoot) Read([]byte) (int, sys.Errno)          { return 0, sys.EISDIR }
func (*emptyRoot) Pread([]byte, int64) (int, sys.Errno)  { return 0, sys.EISDIR }
func (*emptyRoot) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, 0 }
func (*emptyRoot) Seek(o int64, w int) (int64, sys.Errno) {
	if o != 0 || w != io.SeekStart {
		return 0, sys.EINVAL
	}
	return 0, 0
}

func (f *emptyRoot) Close() sys.Errno {
	if !f.closed.Swap(true) {
		f.fs.open.Add(-1)
	}
	return 0
}

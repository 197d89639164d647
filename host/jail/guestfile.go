//go:build linux || darwin

package jail

import (
	"io"
	"io/fs"
	"sync"
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

	// mu keeps Close from what reads a directory, which os.File does not.
	mu      sync.Mutex
	closed  bool
	entries int // of the directory that were read since it was opened or rewound
}

var _ sys.File = (*guestFile)(nil)

func (f *guestFile) Dev() (uint64, sys.Errno)      { return f.object.info.dev, 0 }
func (f *guestFile) Ino() (wasys.Inode, sys.Errno) { return f.object.info.ino, 0 }
func (f *guestFile) IsDir() (bool, sys.Errno)      { return f.object.info.typ == abi.TypeDir, 0 }

func (f *guestFile) Stat() (wasys.Stat_t, sys.Errno) {
	f.fs.count()
	i, err := statFile(f.object.file)
	if err != nil {
		return wasys.Stat_t{}, toErrno(err)
	}
	return i.wasi(), 0
}

func (f *guestFile) Read(buf []byte) (int, sys.Errno) {
	f.fs.count()
	if f.object.info.typ == abi.TypeDir {
		return 0, sys.EISDIR
	}
	n, err := f.object.file.Read(buf[:min(len(buf), maxTransfer)])
	return n, readErrno(err)
}

func (f *guestFile) Pread(buf []byte, off int64) (int, sys.Errno) {
	f.fs.count()
	if f.object.info.typ == abi.TypeDir {
		return 0, sys.EISDIR
	}
	n, err := f.object.file.ReadAt(buf[:min(len(buf), maxTransfer)], off)
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
	f.fs.count()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.object.info.typ == abi.TypeDir {
		if offset != 0 || whence != io.SeekStart {
			return 0, sys.EINVAL
		}
		f.forget()
	}
	n, err := f.object.file.Seek(offset, whence)
	return n, toErrno(err)
}

// Readdir returns up to n entries, those that List would return, in the order of
// the file system.
func (f *guestFile) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	f.fs.count()
	if f.object.info.typ != abi.TypeDir {
		return nil, sys.ENOTDIR
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, sys.EBADF
	}
	var list []sys.Dirent
	room := f.fs.room()
	err := f.fs.jail.table.Load().scan(&f.object, n, func(name string, i *info) error {
		if len(list) == room {
			return sys.ERANGE
		}
		if len(list)%batch == batch-1 {
			f.fs.count()
		}
		st := i.wasi()
		list = append(list, sys.Dirent{Ino: i.ino, Name: name, Type: st.Mode.Type()})
		return nil
	})
	f.entries += len(list)
	f.fs.read(len(list))
	return list, toErrno(err)
}

// forget gives back the room of what was read of the directory. It needs mu.
func (f *guestFile) forget() {
	f.fs.read(-f.entries)
	f.entries = 0
}

func (f *guestFile) Close() sys.Errno {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0
	}
	f.closed = true
	f.forget()
	f.fs.free(f)
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

func (*emptyRoot) IsDir() (bool, sys.Errno)             { return true, 0 }
func (*emptyRoot) Read([]byte) (int, sys.Errno)         { return 0, sys.EISDIR }
func (*emptyRoot) Pread([]byte, int64) (int, sys.Errno) { return 0, sys.EISDIR }

func (f *emptyRoot) Stat() (wasys.Stat_t, sys.Errno) {
	if f.closed.Load() {
		return wasys.Stat_t{}, sys.EBADF
	}
	return emptyRootStat, 0
}

func (f *emptyRoot) Readdir(int) ([]sys.Dirent, sys.Errno) {
	if f.closed.Load() {
		return nil, sys.EBADF
	}
	return nil, 0
}

func (f *emptyRoot) Seek(offset int64, whence int) (int64, sys.Errno) {
	if f.closed.Load() {
		return 0, sys.EBADF
	}
	if offset != 0 || whence != io.SeekStart {
		return 0, sys.EINVAL
	}
	return 0, 0
}

func (f *emptyRoot) Close() sys.Errno {
	if !f.closed.Swap(true) {
		f.fs.free(f)
	}
	return 0
}

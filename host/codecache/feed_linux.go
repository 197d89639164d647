package codecache

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// pipeSize is how much a FIFO is asked to hold, in bytes: as much as every user may
// ask for.
const pipeSize = 1 << 20

func (s *Scratch) feed(rel string, source Source) (end func() error, err error) {
	path := filepath.Join(s.path, filepath.FromSlash(rel))
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, &fs.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// Linux opens both ends at once without waiting. The FIFO stays open until
	// what was written is read: without a writer, the reader's own open would
	// wait, and what nobody has opened for reading would be lost.
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize) // as it can
	pipe := os.NewFile(uintptr(fd), path)
	stop, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		b, free, err := source()
		if err != nil {
			b, free = []byte{0}, func() {}
		}
		_, _ = pipe.Write(b) // an error is that of nobody having read it
		free()
		for !isRead(pipe) {
			select {
			case <-stop:
			case <-time.After(time.Millisecond):
				continue
			}
			break
		}
		_ = pipe.Close()
		failed <- err
	}()
	return func() error {
		close(stop)
		_ = pipe.Close() // ends a Write that nobody reads
		if err := <-failed; err != nil {
			return fmt.Errorf("scratch file: %w", err)
		}
		return nil
	}, nil
}

// isRead reports whether nothing is left in a pipe, or it is closed.
func isRead(pipe *os.File) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return true
	}
	left := 0
	if conn.Control(func(fd uintptr) { left, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }) != nil {
		return true
	}
	return err != nil || left == 0
}

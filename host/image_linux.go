package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// A sharedImage is an image in a file without a name, which instances map: a page
// is copied when one first writes to it.
type sharedImage struct {
	file *os.File
	size int
}

// newSharedImage returns nil where the system cannot do it.
func newSharedImage(im *image) *sharedImage {
	fd, err := unix.MemfdCreate("ohhost-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	s := &sharedImage{file: os.NewFile(uintptr(fd), "image"), size: int(im.pages) * pageSize}
	err = s.file.Truncate(int64(s.size))
	for _, r := range im.runs {
		if err == nil {
			_, err = s.file.WriteAt(r.bytes, int64(r.offset))
		}
	}
	if err == nil { // nobody who gets hold of the descriptor can change what instances begin with
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err != nil {
		s.close()
		return nil
	}
	return s
}

// mapInto puts the image at the front of a mapping, and reports whether it did.
func (s *sharedImage) mapInto(b []byte) bool {
	if s == nil || s.size > len(b) || s.size == 0 {
		return false
	}
	_, err := unix.MmapPtr(int(s.file.Fd()), 0, base(b), uintptr(s.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err == nil
}

func (s *sharedImage) close() {
	if s != nil {
		_ = s.file.Close()
	}
}

package host

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var time0 = time.Unix(1, 0)

// TestStrerror: the C library's texts, which Python's messages carry.
func TestStrerror(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EPERM: "Operation not permitted", syscall.ENOENT: "No such file or directory",
		syscall.EIO: "Input/output error", syscall.EACCES: "Permission denied",
		syscall.EBUSY: "Device or resource busy", syscall.EEXIST: "File exists",
		syscall.EXDEV: "Invalid cross-device link", syscall.ENOTDIR: "Not a directory",
		syscall.EISDIR: "Is a directory", syscall.EINVAL: "Invalid argument",
		syscall.EMFILE: "Too many open files", syscall.ETXTBSY: "Text file busy",
		syscall.EFBIG: "File too large", syscall.ENOSPC: "No space left on device",
		syscall.EROFS: "Read-only file system", syscall.ENAMETOOLONG: "File name too long",
		syscall.ENOTEMPTY: "Directory not empty", syscall.ELOOP: "Too many levels of symbolic links",
		syscall.EDQUOT: "Disk quota exceeded", syscall.ESTALE: "Stale file handle",
	} {
		require.Equal(t, want, strerror(errno))
		require.NotEmpty(t, errnoName(errno))
	}
	require.Equal(t, "ENOSPC", errnoName(syscall.ENOSPC))
}

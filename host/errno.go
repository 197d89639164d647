package host

import "syscall"

// errnoName returns the symbol of an error number, or "" for a rare one.
func errnoName(errno syscall.Errno) string { return errnoNames[errno] }

// errnoNames are the symbols of what file operations return.
var errnoNames = map[syscall.Errno]string{
	syscall.EPERM:        "EPERM",
	syscall.ENOENT:       "ENOENT",
	syscall.EINTR:        "EINTR",
	syscall.EIO:          "EIO",
	syscall.ENXIO:        "ENXIO",
	syscall.E2BIG:        "E2BIG",
	syscall.EBADF:        "EBADF",
	syscall.EAGAIN:       "EAGAIN",
	syscall.ENOMEM:       "ENOMEM",
	syscall.EACCES:       "EACCES",
	syscall.EBUSY:        "EBUSY",
	syscall.EEXIST:       "EEXIST",
	syscall.EXDEV:        "EXDEV",
	syscall.ENODEV:       "ENODEV",
	syscall.ENOTDIR:      "ENOTDIR",
	syscall.EISDIR:       "EISDIR",
	syscall.EINVAL:       "EINVAL",
	syscall.ENFILE:       "ENFILE",
	syscall.EMFILE:       "EMFILE",
	syscall.ETXTBSY:      "ETXTBSY",
	syscall.EFBIG:        "EFBIG",
	syscall.ENOSPC:       "ENOSPC",
	syscall.EROFS:        "EROFS",
	syscall.EMLINK:       "EMLINK",
	syscall.EPIPE:        "EPIPE",
	syscall.ENAMETOOLONG: "ENAMETOOLONG",
	syscall.ENOSYS:       "ENOSYS",
	syscall.ENOTEMPTY:    "ENOTEMPTY",
	syscall.ELOOP:        "ELOOP",
	syscall.EOVERFLOW:    "EOVERFLOW",
	syscall.EDQUOT:       "EDQUOT",
	syscall.ESTALE:       "ESTALE",
	syscall.ETIMEDOUT:    "ETIMEDOUT",
	syscall.ENOTSUP:      "ENOTSUP",
}

package changeset

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const accessList = "system.posix_acl_access"

// keepAttributes copies the extended attributes of orig to f, as far as they can
// be: the user's own, security labels, and the access list. Without the last a
// replacement could be open to more people than the file was, so that failing is
// errLossy. Security: attributes that vouch for the content (capabilities, IMA,
// EVM) are left out, because the content changes.
func keepAttributes(f, orig *os.File) error {
	from, to := int(orig.Fd()), int(f.Fd())
	want, have := attributes(from), attributes(to)
	for _, name := range want {
		if !kept(name) {
			continue
		}
		value, err := attribute(from, name)
		if err == nil {
			err = unix.Fsetxattr(to, name, value, 0)
		}
		if err != nil && name == accessList {
			return lossy(err)
		}
	}
	// A default access list of the directory has given the staged file entries
	// that the file itself does not have.
	if slices.Contains(have, accessList) && !slices.Contains(want, accessList) {
		if err := unix.Fremovexattr(to, accessList); err != nil {
			return lossy(err)
		}
	}
	return nil
}

func kept(name string) bool {
	switch {
	case name == accessList:
		return true
	case name == "security.capability", name == "security.ima", name == "security.evm":
		return false
	}
	return strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "security.")
}

// attributes lists the names; where there are none to be had it is empty.
func attributes(fd int) []string {
	buf := make([]byte, 1024)
	for {
		n, err := unix.Flistxattr(fd, buf)
		if errors.Is(err, unix.ERANGE) {
			buf = make([]byte, 4*len(buf))
			continue
		}
		if err != nil || n == 0 {
			return nil
		}
		var names []string
		for name := range bytes.SplitSeq(buf[:n-1], []byte{0}) {
			names = append(names, string(name))
		}
		return names
	}
}

func attribute(fd int, name string) ([]byte, error) {
	buf := make([]byte, 256)
	for {
		n, err := unix.Fgetxattr(fd, name, buf)
		if errors.Is(err, unix.ERANGE) {
			buf = make([]byte, 4*len(buf))
			continue
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

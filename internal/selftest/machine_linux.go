package selftest

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// kernel is the version of the running kernel.
func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// systemFacts are about the kernel.
func systemFacts(userns func() error) []Fact {
	return []Fact{memfdFact(), landlockFact(), usernsFact(userns)}
}

// landlockFact asks for the version of Landlock's ABI: landlock_create_ruleset(2)
// with LANDLOCK_CREATE_RULESET_VERSION.
func landlockFact() Fact {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return Fact{"landlock", true, fmt.Sprintf("this kernel has it (ABI %d); ohhost does not use it yet", abi)}
	case unix.EOPNOTSUPP:
		return Fact{"landlock", false, "switched off in this kernel; ohhost does not use it yet"}
	}
	return Fact{"landlock", false, "no: " + errno.Error() + "; ohhost does not use it yet"}
}

// memfdFact says whether memory can be shared by a descriptor: what instances of a
// plugin begin with.
func memfdFact() Fact {
	fd, err := unix.MemfdCreate("ohhost-selftest", unix.MFD_CLOEXEC)
	if err != nil {
		return Fact{"memfd", false, "no (" + err.Error() + "): what a plugin begins with is copied for each call"}
	}
	unix.Close(fd)
	return Fact{"memfd", true, "yes"}
}

func usernsFact(start func() error) Fact {
	switch {
	case start == nil:
		return Fact{"user namespaces", false, "not looked at; ohhost does not use them yet"}
	case start() != nil:
		return Fact{"user namespaces", false, "no; ohhost does not use them yet"}
	}
	return Fact{"user namespaces", true, "yes; ohhost does not use them yet"}
}

// inUserNamespace has a command run in a user namespace of its own.
func inUserNamespace(cmd *exec.Cmd) bool {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
	return true
}

// fileSystem names the file system that a directory is on, or would be, where it
// matters; see statfs(2).
func fileSystem(dir string) string {
	at, _ := nearest(dir)
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err != nil {
		return ""
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS, whose locks may not work"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "a share of Windows, whose locks and modes may not work"
	case unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC:
		return "a file system of another program, whose locks and modes may not work"
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return "memory: it is gone after a restart"
	case unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC:
		return "FAT, which has no modes"
	}
	return ""
}

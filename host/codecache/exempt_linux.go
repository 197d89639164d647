package codecache

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Two kinds of directories above ours look unsafe, are not, and are common. Where
// they are refused, people lose the cache and learn to ignore the warning. Our own
// directories, entries and keys are not exempt.

// privateGroup reports whether a directory that its group can write to is open to
// this user only: users of Ubuntu and others have a group of their own and the
// umask 002. Like sshd there, it looks for other members of the group. Of an access
// list the mode shows only the mask, so one is not exempt; nor is root, whose group
// is not made for one user.
func privateGroup(path string, gid int) bool {
	if os.Geteuid() == 0 {
		return false
	}
	if _, err := unix.Lgetxattr(path, "system.posix_acl_access", nil); err != unix.ENODATA && err != unix.EOPNOTSUPP {
		return false
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return false
	}
	group, err := os.ReadFile("/etc/group")
	return err == nil && onlyMember(string(passwd), string(group), strconv.Itoa(os.Geteuid()), strconv.Itoa(gid))
}

// onlyMember reports whether a group is some user's primary one, and nobody else is
// in it, by the text of passwd(5) and group(5). Members that the files do not list
// ("+": NIS) count as others.
func onlyMember(passwd, group, uid, gid string) bool {
	names, primary := map[string]bool{}, false
	for line := range strings.Lines(passwd) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "+") {
			return false
		}
		if len(f) < 4 {
			continue
		}
		if f[2] == uid {
			names[f[0]] = true
		}
		if f[3] == gid {
			if f[2] != uid {
				return false
			}
			primary = true
		}
	}
	for line := range strings.Lines(group) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if strings.HasPrefix(line, "+") {
			return false
		}
		if len(f) < 4 || f[2] != gid || f[3] == "" {
			continue
		}
		for m := range strings.SplitSeq(f[3], ",") {
			if !names[m] {
				return false
			}
		}
	}
	return primary
}

// unmapped reports whether a uid stands for all users that this process's user
// namespace does not know (user_namespaces(7)). In a sandbox that knows one user,
// "/" and /home belong to it, and nothing tells root's directories from another
// user's. Who owns one can put another directory of this user in the place of ours,
// but not files that this user did not make.
func unmapped(uid int) bool {
	overflow, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil || strings.TrimSpace(string(overflow)) != strconv.Itoa(uid) {
		return false
	}
	ids, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && !inMap(string(ids), uint64(uid))
}

// inMap reports whether a uid is in a map as in /proc/self/uid_map.
func inMap(ids string, uid uint64) bool {
	for line := range strings.Lines(ids) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return true // not understood: no exemption
		}
		first, err1 := strconv.ParseUint(f[0], 10, 64)
		n, err2 := strconv.ParseUint(f[2], 10, 64)
		if err1 != nil || err2 != nil || uid >= first && uid-first < n {
			return true
		}
	}
	return false
}

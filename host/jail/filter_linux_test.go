package jail

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ohhost/ohhost/tool"
)

// TestFiltered runs under a seccomp filter that refuses openat2, as older
// container runtimes do.
func TestFiltered(t *testing.T) {
	errno, err := strconv.Atoi(os.Getenv("JAIL_TEST_FILTER"))
	if err != nil {
		t.Skip("TestWithoutOpenat2 runs it in a process of its own")
	}
	runtime.LockOSThread()
	require.NoError(t, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	require.Zero(t, e)

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/f", []byte("inside"), 0o644))
	g := &tool.Grant{Paths: []tool.PathGrant{{Path: dir}}}
	_, err = New(g, &Options{Backend: Openat2})
	require.ErrorIs(t, err, syscall.Errno(errno))
	j, err := New(g, nil)
	require.NoError(t, err)
	defer j.Close()
	require.IsType(t, &rootPlace{}, j.granted[0].dir)
	f, err := j.Open(dir + "/f")
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

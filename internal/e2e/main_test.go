package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// binary is ohhost, built once. It is built without -race, also for tests with
// it: these tests are about what users run.
var binary string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ohhost-e2e")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "ohhost")
		out, err := exec.Command("go", "build", "-o", binary, "github.com/ohhost/ohhost/cmd/ohhost").CombinedOutput()
		if err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
		return m.Run()
	}())
}

// A process is a running `ohhost call --batch`.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

// reply is one answer line.
type reply struct {
	Observation *struct {
		Content []struct{ Text string } `json:"content"`
		IsError bool                    `json:"is_error"`
	} `json:"observation"`
	Error *struct{ Kind, Message string } `json:"error"`
}

func start(t testing.TB, dir string, env []string, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"call", "--batch", "-C", dir}, flags...)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &process{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
}

// call makes one call of file_editor and waits for its answer. It fails no test,
// so that it can be used by goroutines.
func (p *process) call(args map[string]any) (reply, error) {
	var r reply
	p.n++
	line, err := json.Marshal(map[string]any{"id": p.n, "tool": "file_editor", "args": args})
	if err != nil {
		return r, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return r, err
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(answer, &r)
}

func (p *process) close() error {
	if err := p.in.Close(); err != nil {
		return err
	}
	return p.cmd.Wait()
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak is the most memory the process has had resident, in bytes.
func (p *process) peak(t testing.TB) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(t, err)
	m := peakLine.FindSubmatch(b)
	require.NotNil(t, m)
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	require.NoError(t, err)
	return kb << 10
}

func workspace(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

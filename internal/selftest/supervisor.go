package selftest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// How much a worker is borne with.
const (
	patience  = 25 * time.Second // with one vector; they take a second or two
	memoryMax = 3 << 30          // bytes; vectors are bounded far below
	startTime = 10 * time.Second // of a process that does nothing
)

// A supervisor starts workers and watches them.
type supervisor struct {
	dir      string
	worker   func(ctx context.Context, dir string, ids []string) *exec.Cmd
	progress func(done int, id, title string)
	patience time.Duration
	memory   int64
	runs     int
}

// command makes the command of a worker with directories of its own.
func (s *supervisor) command(ctx context.Context, vs []vector) (*exec.Cmd, error) {
	s.runs++
	dir := filepath.Join(s.dir, fmt.Sprint("run", s.runs))
	for _, sub := range []string{"home", "run", "tmp", "vectors"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	var ids []string
	for _, v := range vs {
		ids = append(ids, v.id)
	}
	cmd := s.worker(ctx, filepath.Join(dir, "vectors"), ids)
	cmd.Env = append(environment(dir), cmd.Env...)
	alone(cmd)
	return cmd, nil
}

// userNamespace finds out whether a worker can be started in a user namespace of its
// own: an error is why not.
func (s *supervisor) userNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cmd, err := s.command(ctx, nil)
	if err == nil && !inUserNamespace(cmd) {
		err = errors.ErrUnsupported
	}
	if err == nil {
		_, err = cmd.StdinPipe() // a worker ends with its standard input
	}
	if err != nil {
		return err
	}
	return cmd.Run()
}

// work has one worker try vectors, the first of which is number done, and returns the
// results: of all, or up to the one that ended the worker.
func (s *supervisor) work(parent context.Context, vs []vector, done int) ([]Result, error) {
	ctx, kill := context.WithCancel(parent)
	defer kill()
	cmd, err := s.command(ctx, vs)
	if err != nil {
		return nil, err
	}
	var complaints head
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe() // closed when this process ends, in whatever way
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the process that attacks: %w", err)
	}
	messages := make(chan message)
	go readMessages(out, messages)

	var (
		results []Result
		failed  string    // what the worker says of itself
		began   time.Time // zero between vectors
		why     string    // it was killed
	)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for open := true; open; {
		var m message
		select {
		case m, open = <-messages:
			switch {
			case m.Began != "" && len(results) < len(vs):
				began = time.Now()
				if s.progress != nil {
					v := vs[len(results)]
					s.progress(done+len(results), v.id, v.title)
				}
			case m.Result != nil:
				results, began = append(results, *m.Result), time.Time{}
			case m.Failed != "":
				failed = m.Failed
			}
		case <-look.C:
			if why == "" && !began.IsZero() {
				if why = s.unbearable(cmd.Process.Pid, time.Since(began)); why != "" {
					kill()
				}
			}
		}
	}
	ended := cmd.Wait()
	switch {
	case parent.Err() != nil:
		return nil, context.Cause(parent)
	case failed != "":
		return nil, errors.New(failed)
	case !began.IsZero():
		if why == "" {
			why = fmt.Sprintf("the process died (%v): %s", ended, complaints.reason())
		}
		v := vs[len(results)]
		results = append(results, Result{ID: v.id, Title: v.title, Outcome: Through, Detail: why, TookMS: time.Since(began).Milliseconds()})
	case len(results) == 0:
		return nil, fmt.Errorf("the process that attacks did nothing: %v: %s", ended, complaints.reason())
	}
	return results, nil
}

// unbearable says why a worker must be killed; empty if it need not.
func (s *supervisor) unbearable(pid int, since time.Duration) string {
	if since > s.patience {
		return fmt.Sprintf("the process did not come back in %v, and was killed", s.patience)
	}
	if n := residentMemoryOf(pid); n > s.memory {
		return fmt.Sprintf("the process had %d MiB of memory, and was killed", n>>20)
	}
	return ""
}

func readMessages(out io.Reader, messages chan<- message) {
	defer close(messages)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			messages <- m
		}
	}
}

// A head keeps the beginning of what is written to it.
type head struct {
	mu sync.Mutex
	b  []byte
}

// Write keeps what there is room for.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, p[:min(len(p), 16<<10-len(h.b))]...)
	return len(p), nil
}

// reason is the line by which Go's runtime says why a process ends, or the first.
func (h *head) reason() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := ""
	for line := range strings.Lines(string(h.b)) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"panic:", "fatal error:", "runtime:", "SIG"} {
			if strings.HasPrefix(line, prefix) {
				return line
			}
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return "it did not say why"
	}
	return first
}

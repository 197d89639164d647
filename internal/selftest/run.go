package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Options are how the self-test is run.
type Options struct {
	// Worker makes the command that tries vectors: of a program that hands dir and
	// ids to Work, with its standard output, and that ends when its standard input
	// does. It must be made with exec.CommandContext of ctx. Needed.
	Worker func(ctx context.Context, dir string, ids []string) *exec.Cmd
	// Progress, if set, is told of each vector when its turn comes.
	Progress func(done, all int, id, title string)
	// Only are the IDs of the vectors to try; empty is all.
	Only []string
}

// tempPrefix begins the name of the directory of a run.
const tempPrefix = "ohhost-selftest-"

// ErrVector is the cause of an error about an ID of Options.Only.
var ErrVector = errors.New("there is no such vector")

// Run tries vectors and reports. What it needs lies in a directory below the system's
// for temporary files, and is removed before it returns. The error is about the
// self-test itself: there is no room for it, its processes do not start, ctx has
// ended; then nothing is said about the vectors.
func Run(ctx context.Context, opts *Options) (_ *Report, err error) {
	chosen, err := choose(opts.Only)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove(dir)) }()
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	s := &supervisor{dir: resolved, worker: opts.Worker, patience: patience, memory: memoryMax}
	if opts.Progress != nil {
		s.progress = func(done int, id, title string) { opts.Progress(done, len(chosen), id, title) }
	}
	empty := filepath.Join(resolved, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return nil, err
	}
	r := &Report{Machine: look(empty, func() error { return s.userNamespace(ctx) })}
	if len(opts.Only) == 0 {
		r.Later = later
	}
	for len(r.Results) < len(chosen) {
		some, err := s.work(ctx, chosen[len(r.Results):], len(r.Results))
		if err != nil {
			return nil, err
		}
		r.Results = append(r.Results, some...)
	}
	return r, nil
}

// choose returns the vectors with these IDs, in the order of the list.
func choose(ids []string) ([]vector, error) {
	if len(ids) == 0 {
		return vectors, nil
	}
	for _, id := range ids {
		for _, l := range later {
			if l.ID == id {
				return nil, fmt.Errorf("%w yet: %s is about %s", ErrVector, id, l.Why)
			}
		}
		if !slices.ContainsFunc(vectors, func(v vector) bool { return v.id == id }) {
			return nil, fmt.Errorf("%w: %q", ErrVector, id)
		}
	}
	return slices.DeleteFunc(slices.Clone(vectors), func(v vector) bool { return !slices.Contains(ids, v.id) }), nil
}

// remove removes what attacks have left, also where they took away its modes.
func remove(dir string) error {
	err := os.RemoveAll(dir)
	if err != nil {
		err = errors.Join(tighten(dir), os.RemoveAll(dir))
	}
	if err != nil {
		return fmt.Errorf("the self-test left %s behind: %w", dir, err)
	}
	return nil
}

// environment is what workers get in place of the user's: their own home and
// directories below dir, so that nothing of the user's can be touched.
func environment(dir string) []string {
	own := map[string]string{
		"HOME": "home", "XDG_CACHE_HOME": "home/cache", "XDG_STATE_HOME": "home/state", "XDG_CONFIG_HOME": "home/config", "XDG_RUNTIME_DIR": "run",
		"TMPDIR": "tmp", "TMP": "tmp", "TEMP": "tmp", "USERPROFILE": "home", "LOCALAPPDATA": "home/local", "APPDATA": "home/roaming",
	}
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if _, ok := own[strings.ToUpper(name)]; !ok {
			env = append(env, kv)
		}
	}
	for name, sub := range own {
		env = append(env, name+"="+filepath.Join(dir, filepath.FromSlash(sub)))
	}
	return env
}

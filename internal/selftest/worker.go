package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A message is what a worker tells Run: one JSON value on a line.
type message struct {
	Began  string  `json:"began,omitempty"` // ID of the vector that is tried now
	Result *Result `json:"result,omitempty"`
	Failed string  `json:"failed,omitempty"` // why the worker itself cannot go on
}

// Work tries vectors in this process, in the order given, in directories below dir,
// and writes what Run reads. It ends early when something of an attack is still
// running: there is no telling what it does to the next one. Work is what the
// command does that Options.Worker makes; its process must end then.
func Work(ctx context.Context, dir string, ids []string, out io.Writer) error {
	tell := json.NewEncoder(out)
	for _, id := range ids {
		i := slices.IndexFunc(vectors, func(v vector) bool { return v.id == id })
		if i < 0 {
			return tell.Encode(message{Failed: fmt.Sprintf("there is no vector %q", id)})
		}
		if err := tell.Encode(message{Began: id}); err != nil {
			return err
		}
		r, spoilt, err := try(ctx, vectors[i], dir, usual)
		if err = errors.Join(err, context.Cause(ctx)); err != nil {
			return tell.Encode(message{Failed: id + ": " + err.Error()})
		}
		if err := tell.Encode(message{Result: &r}); err != nil || spoilt {
			return err
		}
	}
	return nil
}

// Abandoned removes the directory of a run of which dir is a worker's, for a worker
// whose standard input has ended: who watched it and would have removed it was
// killed. The worker must end then.
func Abandoned(dir string) {
	top := filepath.Dir(filepath.Dir(dir))
	if !strings.HasPrefix(filepath.Base(top), tempPrefix) {
		return
	}
	for range 3 { // the attack goes on meanwhile, and makes files
		if remove(top) == nil {
			return
		}
	}
}

// try tries one vector in a world of its own, which is removed.
func try(ctx context.Context, v vector, dir string, b bounds) (r Result, spoilt bool, err error) {
	top := filepath.Join(dir, v.id)
	if err := os.Mkdir(top, 0o700); err != nil {
		return r, false, err
	}
	w, err := newWorld(top, filepath.Join(dir, "cache"), b)
	if err != nil {
		return r, false, err
	}
	r = w.attempt(ctx, v)
	if !w.spoilt {
		err = os.RemoveAll(top)
	}
	return r, w.spoilt, err
}

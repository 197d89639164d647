package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/tool"
)

// observed calls the tool and decodes the observation.
func observed(x tool.Tool, args json.RawMessage) (map[string]any, error) {
	res, err := x.Call(context.Background(), &tool.Call{Args: args})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := tool.WriteObservation(&b, res); err != nil {
		return nil, err
	}
	var o map[string]any
	return o, json.Unmarshal(b.Bytes(), &o)
}

// keyed is the rule of every edge: calls that share a resource key do not
// overlap.
type keyed struct {
	tool.Tool
	mu    sync.Mutex
	locks map[string]*sync.Mutex
}

func (k *keyed) Call(ctx context.Context, c *tool.Call) (_ *abi.Result, err error) {
	keys, err := k.Keys(ctx, c) // sorted, so that two calls lock in the same order
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		k.mu.Lock()
		if k.locks[key] == nil {
			k.locks[key] = &sync.Mutex{}
		}
		lock := k.locks[key]
		k.mu.Unlock()
		lock.Lock()
		defer lock.Unlock()
	}
	return k.Tool.Call(ctx, c)
}

// FE-39: twenty calls at once, each of its own line of one file. Serialised by
// their resource keys, as at every edge, all succeed; without that a call may be
// refused because the file changed under it, but none is lost. Undo then goes
// back step by step, ten steps, and never mixes contents.
func TestFE39ParallelEdits(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		parallelEdits(t, w, "keys/f.txt", true)
		if !w.slow { // where the retries add up
			parallelEdits(t, w, "free/f.txt", false)
		}
	})
}

func parallelEdits(t *testing.T, w *caseSpace, name string, serialised bool) {
	const lines = 20
	var was, want strings.Builder
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(&was, "L%d.\r\n", i)
		fmt.Fprintf(&want, "edited %d.\r\n", i)
	}
	w.write(name, was.String(), 0o640)
	x := w.bind()
	if serialised {
		x = &keyed{Tool: x, locks: map[string]*sync.Mutex{}}
	}

	var mu sync.Mutex
	before := map[string]string{} // the text that each new text was made from
	var wg sync.WaitGroup
	errs := make(chan error, lines)
	for i := 1; i <= lines; i++ {
		args := callArgs(t, "str_replace", w.path(name), "old_str", fmt.Sprintf("L%d.", i), "new_str", fmt.Sprintf("edited %d.", i))
		wg.Go(func() {
			for {
				o, err := observed(x, args)
				if err != nil {
					errs <- err
					return
				}
				if o["is_error"] == false {
					mu.Lock()
					before[o["new_content"].(string)] = o["old_content"].(string)
					mu.Unlock()
					return
				}
				text := o["content"].([]any)[0].(map[string]any)["text"].(string)
				if serialised || text != "Ran into the file was changed since it was read while trying to write to "+w.path(name) {
					errs <- fmt.Errorf("line %d: %s", i, text)
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, want.String(), w.read(name))
	require.Equal(t, uint32(0o640), w.mode(name))
	require.Equal(t, []string{"f.txt"}, w.names(filepath.Dir(name)))
	require.Len(t, before, lines)

	now := strings.ReplaceAll(want.String(), "\r\n", "\n")
	for step := range 10 {
		o, err := observed(x, callArgs(t, "undo_edit", w.path(name)))
		require.NoError(t, err)
		require.Equal(t, false, o["is_error"], "step %d: %v", step, o)
		require.Equal(t, now, o["old_content"])
		require.Equal(t, before[now], o["new_content"])
		now = before[now]
		require.Equal(t, strings.ReplaceAll(now, "\n", "\r\n"), w.read(name))
	}
	w.fails("No edit history found for "+w.path(name)+".", "undo_edit", name)
	require.Equal(t, strings.ReplaceAll(now, "\n", "\r\n"), w.read(name))
}

// FE-39: two spellings of one file have the same resource key.
func TestFE39Keys(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, w *caseSpace) {
		w.write("d/f.txt", "a\n", 0o644)
		x := w.bind()
		want := []string{"file:" + w.path("d/f.txt")}
		for _, path := range []string{w.path("d/f.txt"), w.Root + "/d/../d/./f.txt", "/" + w.Root + "//d/f.txt"} {
			for _, command := range []string{"view", "create", "str_replace", "insert", "undo_edit"} {
				keys, err := x.Keys(context.Background(), &tool.Call{Args: callArgs(t, command, path)})
				require.NoError(t, err)
				require.Equal(t, want, keys, "%s %s", command, path)
			}
		}
	})
}

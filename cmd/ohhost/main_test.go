package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ohhost": func() { os.Exit(run()) },
	})
}

// TestScript runs the binary as a user does: one script for each promise.
// $GUESTS has the modules of testdata/guests; compiled code is shared, home and
// state are each script's own.
func TestScript(t *testing.T) {
	t.Parallel()
	guests, err := filepath.Abs("../../testdata/guests")
	require.NoError(t, err)
	cache := t.TempDir()
	key := make([]byte, 32)
	rand.Read(key)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The guest's path is the host's, so $WORK must not lead through links.
			work, err := filepath.EvalSymlinks(env.WorkDir)
			if err != nil {
				return err
			}
			home := filepath.Join(work, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("XDG_STATE_HOME", filepath.Join(work, "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("GUESTS", guests)
			env.Setenv("W", filepath.Join(work, "w"))
			// Compiled code is found by those who have its key.
			state := filepath.Join(work, "state", "ohhost")
			if err := os.MkdirAll(state, 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(state, "cache.key"), key, 0o600); err != nil {
				return err
			}
			return os.MkdirAll(home, 0o700)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" { // and so may mount
				return os.Geteuid() == 0, nil
			}
			if cond == "compiled" { // plugins are compiled, not interpreted
				return !host.Interpreted, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"expand": expand,
		},
	})
}

// expand rewrites files with $W and the like filled in: arguments name absolute
// paths.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand file…")
	}
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

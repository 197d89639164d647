package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/internal/selftest"
)

// attacked is a report with each outcome.
func attacked() *selftest.Report {
	return &selftest.Report{
		Machine: &selftest.Machine{OS: "linux", Arch: "amd64", Kernel: "6.1", CPUs: 2, Facts: []selftest.Fact{
			{Name: "openat2", Have: true, Text: "yes"},
			{Name: "state directory", Text: "no: /x belongs to user 7\x1b; there is no undo history"},
		}},
		Results: []selftest.Result{
			{ID: "F1", Title: "odd paths", Outcome: selftest.Stopped, Wall: "jail: outside", Detail: "9 of 9 refused", TookMS: 12},
			{ID: "F11", Title: "devices", Outcome: selftest.NotTried, Detail: "this system has none"},
			{ID: "R4", Title: "table bombs", Outcome: selftest.Through, Detail: "a table took 900 MiB\x1b[2J"},
		},
		Later: []selftest.Later{{ID: "R6", Why: "archives"}},
	}
}

// attack runs `ohhost selftest` with a report or an error, and returns its output and
// exit code.
func attack(t *testing.T, r *selftest.Report, err error, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{in: &bytes.Buffer{}, out: &out, err: &errs, selftest: func(_ context.Context, o *selftest.Options) (*selftest.Report, error) {
		require.NotNil(t, o.Worker)
		require.Nil(t, o.Progress, "standard error is no terminal")
		return r, err
	}}
	code = a.run(t.Context(), append([]string{"selftest"}, args...))
	return out.String(), errs.String(), code
}

// TestSelftest: an attack that got through is shown for what it is and makes the exit
// code 1; one that was not tried is not counted as stopped.
func TestSelftest(t *testing.T) {
	t.Parallel()
	out, errs, code := attack(t, attacked(), nil)
	require.Equal(t, `This machine: linux/amd64 6.1, 2 processors
  openat2          yes
  state directory  no: /x belongs to user 7␛; there is no undo history

Files
  F1   stopped    odd paths  jail: outside
  F11  not tried  devices    this system has none

Computing, memory and other resources
  R4  THROUGH  table bombs  a table took 900 MiB␛[2J

Not yet: what these attack does not exist
  R6  archives

1 attack stopped, 1 not tried, 1 GOT THROUGH: do not run plugins that you do not trust, and report this
`, out)
	require.Empty(t, errs)
	require.Equal(t, exitTool, code)

	r := attacked()
	r.Results = r.Results[:2]
	r.Later = nil
	out, errs, code = attack(t, r, nil, "-v")
	require.Equal(t, `This machine: linux/amd64 6.1, 2 processors
  openat2          yes
  state directory  no: /x belongs to user 7␛; there is no undo history

Files
  F1   stopped    odd paths  jail: outside; 9 of 9 refused
  F11  not tried  devices    this system has none

1 attack stopped, 1 not tried, none got through
`, out)
	require.Empty(t, errs)
	require.Equal(t, exitOK, code)
}

func TestSelftestJSON(t *testing.T) {
	t.Parallel()
	out, errs, code := attack(t, attacked(), nil, "--json")
	require.JSONEq(t, `{
		"version": "`+version()+`",
		"machine": {"os": "linux", "arch": "amd64", "kernel": "6.1", "cpus": 2, "facts": [
			{"name": "openat2", "have": true, "text": "yes"},
			{"name": "state directory", "have": false, "text": "no: /x belongs to user 7\u001b; there is no undo history"}]},
		"vectors": [
			{"id": "F1", "title": "odd paths", "outcome": "stopped", "wall": "jail: outside", "detail": "9 of 9 refused", "took_ms": 12},
			{"id": "F11", "title": "devices", "outcome": "not_tried", "wall": "", "detail": "this system has none", "took_ms": 0},
			{"id": "R4", "title": "table bombs", "outcome": "through", "wall": "", "detail": "a table took 900 MiB\u001b[2J", "took_ms": 0}],
		"later": [{"id": "R6", "why": "archives"}],
		"ok": false
	}`, out)
	require.Empty(t, errs)
	require.Equal(t, exitTool, code)

	r := attacked()
	r.Results, r.Later = r.Results[:1], nil
	out, _, code = attack(t, r, nil, "--json")
	require.Contains(t, out, `"later": []`)
	require.Contains(t, out, `"ok": true`)
	require.Equal(t, exitOK, code)
}

// TestSelftestBroken: what is wrong with the self-test itself is neither success nor an
// attack that got through.
func TestSelftestBroken(t *testing.T) {
	t.Parallel()
	out, errs, code := attack(t, nil, errors.New("no room"))
	require.Empty(t, out)
	require.Equal(t, "error: no room\n", errs)
	require.Equal(t, exitFault, code)
	_, errs, code = attack(t, nil, selftest.ErrVector, "X9")
	require.Equal(t, "error: there is no such vector\nhint: `ohhost selftest` tries all there are\n", errs)
	require.Equal(t, exitUsage, code)
}

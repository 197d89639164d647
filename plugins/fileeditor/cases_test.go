package main

import (
	"context"
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/guest"
	"github.com/ohhost/ohhost/guest/guesttest"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/plugins"
	"github.com/ohhost/ohhost/tool"
)

// A caseSpace is a granted folder on one engine, for the cases that a file of
// cases cannot say: mounts, users, parallel calls, large files.
type caseSpace struct {
	guesttest.Workspace
	t    *testing.T
	slow bool // the engine is wazero's interpreter
}

// onEngines runs a test natively and with the committed module.
func onEngines(t *testing.T, run func(t *testing.T, w *caseSpace)) {
	t.Helper()
	t.Run("native", func(t *testing.T) {
		run(t, newCaseSpace(t, guesttest.NativeHost(t, guest.Registered()), false))
	})
	t.Run("module", func(t *testing.T) {
		run(t, newCaseSpace(t, guesttest.ModuleHost(t, toolPlugin, committedModule(t), nil), host.Interpreted))
	})
}

// sizes are sizes of files in bytes to try. Above half a mebibyte they are left
// out on wazero's interpreter, which takes minutes; the run without -race has
// them.
func (w *caseSpace) sizes(all ...int) []int {
	if !w.slow {
		return all
	}
	return slices.DeleteFunc(all, func(n int) bool { return n > 1<<19 })
}

func committedModule(t *testing.T) []byte {
	for _, p := range plugins.All() {
		if p.Name == toolPlugin {
			return p.Wasm
		}
	}
	require.Fail(t, "no committed module")
	return nil
}

func newCaseSpace(t *testing.T, h *host.Host, slow bool) *caseSpace {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.Join(top, "w")
	require.NoError(t, os.Mkdir(root, 0o755))
	return &caseSpace{guesttest.Workspace{Host: h, Root: root}, t, slow}
}

// path is a name in the folder as the tool wants it.
func (w *caseSpace) path(name string) string { return filepath.Join(w.Root, name) }

func (w *caseSpace) write(name, text string, mode os.FileMode) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	require.NoError(w.t, os.WriteFile(w.path(name), []byte(text), 0o666))
	require.NoError(w.t, os.Chmod(w.path(name), mode))
}

func (w *caseSpace) read(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(b)
}

func (w *caseSpace) stat(name string) *syscall.Stat_t {
	w.t.Helper()
	var st syscall.Stat_t
	require.NoError(w.t, syscall.Lstat(w.path(name), &st))
	return &st
}

// mode is a file's permissions with the special bits, as chmod takes them.
func (w *caseSpace) mode(name string) uint32 {
	w.t.Helper()
	return uint32(w.stat(name).Mode) & 0o7777
}

// names lists what a folder holds: a failed write must leave no litter.
func (w *caseSpace) names(folder string) []string {
	w.t.Helper()
	entries, err := os.ReadDir(w.path(folder))
	require.NoError(w.t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// call calls the tool; args are names and values in turn, and the path a name in
// the folder.
func (w *caseSpace) call(command, name string, args ...any) guesttest.Answer {
	w.t.Helper()
	return w.Call(w.t, toolName, callArgs(w.t, command, w.path(name), args...))
}

func callArgs(t testing.TB, command, path string, args ...any) json.RawMessage {
	t.Helper()
	object := map[string]any{"command": command, "path": path}
	for i := 0; i < len(args); i += 2 {
		object[args[i].(string)] = args[i+1]
	}
	b, err := json.Marshal(object)
	require.NoError(t, err)
	return b
}

// ok makes a call that must succeed with this text.
func (w *caseSpace) ok(want, command, name string, args ...any) {
	w.t.Helper()
	a := w.call(command, name, args...)
	text, isError := answerText(w.t, a)
	require.Equal(w.t, want, text)
	require.False(w.t, isError)
}

// fails makes a call that must fail with this text.
func (w *caseSpace) fails(want, command, name string, args ...any) {
	w.t.Helper()
	a := w.call(command, name, args...)
	text, isError := answerText(w.t, a)
	require.Equal(w.t, want, text)
	require.True(w.t, isError)
}

// edits makes an edit that must succeed.
func (w *caseSpace) edits(command, name string, args ...any) {
	w.t.Helper()
	text, isError := answerText(w.t, w.call(command, name, args...))
	require.False(w.t, isError, text)
}

// answerText is the one text of an observation and whether it is an error.
func answerText(t testing.TB, a guesttest.Answer) (string, bool) {
	t.Helper()
	require.NotNil(t, a.Observation, "%s: %s", a.Kind, a.Message)
	parts := a.Observation["content"].([]any)
	require.Len(t, parts, 1)
	return parts[0].(map[string]any)["text"].(string), a.Observation["is_error"].(bool)
}

// bind returns the tool for the folder, for calls that run at the same time.
func (w *caseSpace) bind() tool.Tool {
	w.t.Helper()
	bound, err := w.Host.Bind(context.Background(), toolName, &tool.Grant{
		Workspace: w.Root, Paths: []tool.PathGrant{{Path: w.Root, Write: true}},
	})
	require.NoError(w.t, err)
	return tool.Validate(bound)
}

// wantNotice stands in place of what is cut out of a long text.
const wantNotice = "<response clipped><NOTE>Due to the max output limit, only part of this file has been shown to you. " +
	"You should retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.</NOTE>"

// wantCat is what a view of a text is to show: cut to 16,000 characters, and
// then numbered.
func wantCat(text string, first int) string {
	if n := utf8.RuneCountInString(text); n > 16000 {
		runes := []rune(text)
		text = string(runes[:7875]) + wantNotice + string(runes[n-7875:])
	}
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		number := strconv.Itoa(first)
		b.WriteString(strings.Repeat(" ", max(0, 6-len(number))) + number + "\t" + line + "\n")
		first++
	}
	return b.String()
}

func (w *caseSpace) wantView(name, text string) string {
	return "Here's the result of running `cat -n` on " + w.path(name) + ":\n" + wantCat(text, 1)
}

func (w *caseSpace) wantReplaced(name, snippet string, first int) string {
	return "The file " + w.path(name) + " has been edited. Here's the result of running `cat -n` on a snippet of " + w.path(name) + ":\n" +
		wantCat(snippet, first) + "Review the changes and make sure they are as expected. Edit the file again if necessary."
}

func (w *caseSpace) wantUndone(name, text string) string {
	return "Last edit to " + w.path(name) + " undone successfully. Here's the result of running `cat -n` on " + w.path(name) + ":\n" + wantCat(text, 1)
}

// TestEveryCaseIsTested keeps the list of cases whole: each is an ID in the file
// of cases or the name of a test here.
func TestEveryCaseIsTested(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{}
	for _, c := range guesttest.Load(t, casesFile) {
		id, _, ok := strings.Cut(c.ID, "/")
		require.True(t, ok, c.ID)
		tested[id] = true
	}
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	name := regexp.MustCompile(`^TestFE(\d\d)`)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for declared := range parsed.Scope.Objects {
			if m := name.FindStringSubmatch(declared); m != nil {
				tested["FE-"+m[1]] = true
			}
		}
	}
	for _, number := range strings.Fields("01 02 03 05 07 08 09 10 12 13 15 16 17 18 19 20 22 23 24 25 26 27 29 31 32 33 34 36 37 38 39 40") {
		require.True(t, tested["FE-"+number], "FE-%s has no test", number)
		delete(tested, "FE-"+number)
	}
	require.Empty(t, tested, "cases that are not in the list")
}

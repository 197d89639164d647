// Package archtest holds the rules of who may import whom (architecture, "The
// house") as a test.
package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/ohhost/ohhost/"

// allowed lists which packages of ours each may import. A package that is not
// listed may not exist: add it here, and say in a line what it is for if the
// name does not. A trailing slash stands for all below.
var allowed = map[string][]string{
	"abi":   {},
	"guest": {"abi"},
	"tool":  {"abi"},

	"host":            {"abi", "tool", "host/"},
	"host/ijson":      {}, // the JSON that guests write
	"host/codecache":  {},
	"host/jail":       {"abi", "tool"},
	"host/text":       {},
	"host/session":    {"abi"},
	"host/instrument": {"abi"},
	"host/changeset":  {"abi", "host/jail", "host/session", "host/text"},

	"guest/guesttest": {"abi", "guest", "tool", "host", "plugins"}, // the one bridge between guest and host

	"plugins":                   {"abi", "internal/manifest"},
	"plugins/fileeditor":        {"abi", "guest"},
	"plugins/fileeditor/gen":    {"abi", "plugins/fileeditor/"},
	"plugins/fileeditor/schema": {},

	"internal/archtest":        {},
	"internal/bench":           {},
	"internal/e2e":             {},
	"internal/manifest":        {"abi"},
	"internal/selftest":        {"abi", "tool", "host", "host/", "internal/wasmgen", "testdata"}, // attacks this machine's host
	"internal/wasmgen":         {},
	"internal/wasmbuild":       {"host", "internal/"},
	"internal/wasmbuild/build": {},

	"cmd/ohhost": {"abi", "tool", "host", "host/", "plugins", "internal/selftest"},
}

// homes names the packages (with all below) that may import a library directly.
var homes = map[string][]string{
	"github.com/tetratelabs/wazero":            {"host"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"tool"},
	"github.com/invopop/jsonschema":            {"plugins"},
	"github.com/spf13/cobra":                   {"cmd/ohhost"},
	"github.com/wlynxg/chardet":                {"host/text"},
	"golang.org/x/text/encoding":               {"host/text"},
	"github.com/aymanbagabas/go-udiff":         {"host/text", "cmd/ohhost"},
	"github.com/creack/pty":                    {"native/terminal"},
}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...")
	out, err := cmd.Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		rules, known := allowed[pkg]
		if !known {
			t.Errorf("%s: a package that archtest does not know", pkg)
			continue
		}
		for _, imp := range words[1:] {
			if ours, ok := strings.CutPrefix(imp, module); ok {
				if !within(ours, rules) {
					t.Errorf("%s may not import %s", pkg, ours)
				}
				continue
			}
			for lib, where := range homes {
				if imp != lib && !strings.HasPrefix(imp, lib+"/") {
					continue
				}
				if !slices.ContainsFunc(where, func(w string) bool { return pkg == w || strings.HasPrefix(pkg, w+"/") }) {
					t.Errorf("%s may not import %s: its home is %s", pkg, imp, strings.Join(where, ", "))
				}
			}
			if pkg == "abi" && strings.Contains(imp, ".") {
				t.Errorf("abi imports the standard library only, not %s", imp)
			}
		}
	}
}

// TestGuestsStaySmall pins what doubles a guest's size and load time out of what
// guests link.
func TestGuestsStaySmall(t *testing.T) {
	for _, pkg := range []string{"abi", "guest", "plugins/fileeditor"} {
		cmd := exec.Command("go", "list", "-f", `{{range .Imports}}{{.}} {{end}}`, module+pkg)
		cmd.Env = append(cmd.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		out, err := cmd.Output()
		require.NoError(t, err, pkg)
		for _, imp := range strings.Fields(string(out)) {
			require.NotContains(t, []string{"fmt", "encoding/json", "regexp", "reflect", "log", "text/template"}, imp, pkg)
		}
	}
}

func within(pkg string, rules []string) bool {
	return slices.ContainsFunc(rules, func(r string) bool {
		return pkg == r || strings.HasSuffix(r, "/") && strings.HasPrefix(pkg, r)
	})
}

package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/ohhost/ohhost/guest"
	"github.com/ohhost/ohhost/guest/guesttest"
)

const (
	toolPlugin  = "fileeditor" // this plugin in plugins.json
	conformance = "../../testdata/conformance/"
	casesFile   = "../../testdata/cases/file_editor.json"
)

// TestMain sets the umask that the cases were recorded with.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	os.Exit(m.Run())
}

// TestConformance runs the recorded cases natively and with the committed
// module, both on the real host.
func TestConformance(t *testing.T) {
	cases := guesttest.Load(t, conformance+"file_editor.json")
	guesttest.Run(t, guest.Registered(), toolPlugin, cases)
}

// TestCases runs the cases from public bug reports likewise, each by its ID
// (testdata/cases/README.md). Those that the format cannot say are the tests
// TestFE….
func TestCases(t *testing.T) {
	guesttest.Run(t, guest.Registered(), toolPlugin, guesttest.Load(t, casesFile))
}

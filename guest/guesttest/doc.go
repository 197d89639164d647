// Package guesttest tests plugins: it runs recorded cases (a workspace, calls,
// what each must answer, the workspace afterwards) against a plugin twice, as
// native code and as the committed module, both on the real host with its real
// jail, change sets and sessions.
//
//	func TestConformance(t *testing.T) {
//		cases := guesttest.Load(t, "../../testdata/conformance/file_editor.json")
//		guesttest.Run(t, guest.Registered(), "fileeditor", cases)
//	}
//
// It is the one package that knows both guest and host. The format of the files
// is described in testdata/conformance/README.md.
package guesttest

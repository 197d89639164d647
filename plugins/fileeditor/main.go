// Fileeditor is the plugin of the tool file_editor: it views, creates and edits
// text files with the words and rules of OpenHands' tool of that name
// (spec/tools.md, "file_editor"). It sees files only through the files service:
// texts come with LF line ends, changes go out as change sets, and line ends,
// encoding, mode and atomicity are the host's.
//
// What it is not: a patch tool (plugins/applypatch) or a search (plugins/grep).
package main

import (
	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

//go:generate go run ./gen

const toolName = "file_editor"

func init() {
	guest.Register(guest.Tool{
		Spec:     abi.Spec{Name: toolName},
		SpecJSON: specJSON,
		Call:     call,
		Keys:     keys,
	})
}

func main() {} // never called: the module is a reactor

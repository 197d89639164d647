// Package guest is the SDK for plugins in Go: it answers the host's calls, hands
// a tool its arguments and the services it was granted, and keeps the module
// small (no fmt, no encoding/json, no reflection). The contract behind it is
// package abi; any other language can speak it without this package.
//
// # A plugin in five minutes
//
// A plugin is a main package whose init registers tools. In a new folder beside a
// checkout of ohhost, write go.mod:
//
//	module example.com/wordcount
//
//	go 1.26.0
//
//	require github.com/ohhost/ohhost v0.0.0
//
//	replace github.com/ohhost/ohhost => ../ohhost
//
// and main.go, a tool that counts the words of a file:
//
//	package main
//
//	import (
//		"bytes"
//		"strconv"
//		"strings"
//
//		"github.com/ohhost/ohhost/abi"
//		"github.com/ohhost/ohhost/guest"
//	)
//
//	func init() {
//		guest.Register(guest.Tool{
//			Spec: abi.Spec{
//				Name:        "word_count",
//				Description: "Counts the words of a text file below {{cwd}}.",
//				InputSchema: abi.JSON(`{
//					"type": "object",
//					"properties": {"path": {"type": "string"}},
//					"required": ["path"]
//				}`),
//				Annotations: abi.Annotations{ReadOnly: true, Idempotent: true},
//				Needs:       abi.Needs{Files: abi.FilesRead},
//			},
//			Call: count,
//		})
//	}
//
//	func count(c *guest.Call) (*abi.Result, error) {
//		path, _ := c.Args.Str("path") // the schema has been checked
//		if !strings.HasPrefix(path, "/") {
//			path = c.CWD + "/" + path // services take absolute paths only
//		}
//		t, err := c.Files().ReadText(path, 10<<20)
//		if err != nil {
//			return nil, err
//		}
//		n := len(bytes.Fields(t.Text))
//		return &abi.Result{
//			Content: []abi.Part{{Text: path + " has " + strconv.Itoa(n) + " words"}},
//			Fields:  []abi.Field{guest.IntField("words", int64(n))},
//		}, nil
//	}
//
//	func main() {} // never called
//
// Build it as a WASI reactor and try it:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -ldflags="-s -w" -o word_count.wasm .
//	ohhost call --plugin word_count.wasm word_count '{"path": "main.go"}'
//
// # What a tool returns
//
// A result is what the model reads. Trouble that the model should read is a
// result too: return a *ToolError, or a Result with IsError. A *DeniedError
// (what the services return where a grant refuses) is answered as a denial, and
// any other error as raised by the tool. A panic is a bug: the host reports a
// fault and throws the instance away.
//
// # Memory
//
// Every call runs in a fresh instance, so package variables are no state; use
// Call.State for what must last, and change files only by Files.Apply. Input,
// answers of services and the strings in them are the memory they came in,
// nothing is copied: a text of 10 MiB is there once. Texts of an edit need not
// pass through the plugin at all, see BlobField.
//
// # Without WebAssembly
//
// Everything but the imports themselves is plain Go. A Module answers calls for
// whatever Host it is given, so a tool is tested natively: package guesttest
// runs it over the real services, a test of its own may use a fake Host.
//
// What it is not: a way to reach anything the grant does not give. A plugin has
// the services of ohhost_v1, a clock, random numbers, and nothing else.
package guest

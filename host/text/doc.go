// Package text turns the bytes of a file into text with LF line ends and turns
// edits of that text back into bytes, so that no byte outside an edit changes:
// neither encoding, byte order mark and line ends, nor bytes that are no text.
//
//	doc, err := text.Decode(raw)
//	edited, err := doc.Edit([]text.Splice{{At: 0, Del: 3, Insert: []byte("new")}})
//	os.WriteFile(name, edited.Raw, 0o666)
//
// The rules are those of spec/tools.md ("Encoding, in this order", "Line endings
// of an edit"); abi/doc.go states them for a guest.
//
// What it is not: a judge of what is binary (the file editor decides that from
// the first bytes and from [Doc.Control]), and no way to search or to show text.
package text

// Package manifest is the form of plugins/plugins.json, shared by the builder
// that writes it and the package that embeds it. The builder cannot use the
// latter: it must compile while a module is missing.
package manifest

import (
	"bytes"
	"encoding/json"

	"github.com/ohhost/ohhost/abi"
)

// A Plugin is one embedded module. Its fields must not be changed.
type Plugin struct {
	// Name is the folder of its source, "fileeditor".
	Name string `json:"name"`
	// SHA256 of the module, in hex.
	SHA256 string `json:"sha256"`
	// Sources is a digest of all that the module is built from, see
	// internal/wasmbuild/build.
	Sources string `json:"sources"`
	// Go is the version of the toolchain that built it, "go1.26.8".
	Go string `json:"go"`
	// Tools are the specs that the module describes.
	Tools []*abi.Spec `json:"tools"`
	// Wasm is the module.
	Wasm []byte `json:"-"`
}

// Encode returns the file for plugins, indented so that it can be reviewed.
func Encode(ps []Plugin) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(ps)
	return b.Bytes(), err
}

// Decode reads the file. The modules themselves are not in it.
func Decode(b []byte) ([]Plugin, error) {
	var ps []Plugin
	err := json.Unmarshal(b, &ps)
	return ps, err
}

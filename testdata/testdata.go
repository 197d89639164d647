// Package testdata embeds what `ohhost selftest` needs of the tests' data. It lies
// here, and not beside the guests, because a package of Go has no files in C in its
// folder.
package testdata

import _ "embed"

// Puppet is the module of guests/puppet.c, which does what its argument says.
//
//go:embed guests/puppet.wasm
var Puppet []byte

//go:build !unix

package changeset

import (
	"strings"

	"github.com/ohhost/ohhost/host/jail"
)

// compareDirs orders directories by their resolved paths.
func compareDirs(a, b *jail.Dir) int { return strings.Compare(a.Path(), b.Path()) }

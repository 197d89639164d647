package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
)

var sessionName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// SessionName returns the name of the session that calls in a workspace share
// when none is given: the first 16 hex digits of the SHA-256 of its resolved
// path (architecture, "Instances").
func SessionName(resolvedWorkspace string) string {
	sum := sha256.Sum256([]byte(resolvedWorkspace))
	return hex.EncodeToString(sum[:])[:16]
}

// CheckSessionName returns an error that says what a session may be called when
// name is not such a name.
func CheckSessionName(name string) error {
	if !sessionName.MatchString(name) || name == "." || name == ".." {
		return fmt.Errorf("session name %q: want 1 to 64 of the characters A-Z a-z 0-9 . _ -", name)
	}
	return nil
}

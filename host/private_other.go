//go:build !unix

package host

import (
	"fmt"
	"os"
)

// checkPrivate returns an error unless dir is a directory. Who else can write to
// it is the business of the profile directory's access list on these systems.
func checkPrivate(dir string) error {
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("%s: not a directory", dir)
	}
	return nil
}

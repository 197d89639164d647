package changeset

import (
	"io/fs"
	"os"

	"github.com/ohhost/ohhost/host/jail"
)

// statDir describes an open directory itself.
func statDir(d *jail.Dir) (fs.FileInfo, error) {
	f, err := d.Open(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// names lists an open directory, in no order.
func names(d *jail.Dir) ([]string, error) {
	f, err := d.Open(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

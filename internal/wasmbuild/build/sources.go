package build

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goPackage is what Sources reads of go list.
type goPackage struct {
	Dir        string
	ImportPath string
	Standard   bool
	GoFiles    []string
	EmbedFiles []string
	Module     *struct {
		Path, Version string
		Main          bool
	}
}

// Sources returns a digest of all that a plugin is built from: the files of its
// package and of our packages that it imports, embedded ones too, and the
// versions of the modules of others. The standard library is not in it: that is
// the Go version's business.
func Sources(root, pkg string) (string, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,EmbedFiles,Module", pkg)
	cmd.Dir = root
	cmd.Env = environment()
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("go list %s: %w\n%s", pkg, err, exit.Stderr)
		}
		return "", err
	}
	sum := sha256.New()
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return hex.EncodeToString(sum.Sum(nil)), nil
		case err != nil:
			return "", err
		case p.Standard:
			continue
		case p.Module != nil && !p.Module.Main:
			fmt.Fprintf(sum, "module %s %s\n", p.Module.Path, p.Module.Version)
			continue
		}
		for _, name := range append(p.GoFiles, p.EmbedFiles...) {
			b, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "file %s/%s %d\n", p.ImportPath, name, len(b))
			sum.Write(b)
		}
	}
}

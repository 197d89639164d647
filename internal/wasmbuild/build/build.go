// Package build compiles Go plugins to WebAssembly so that the same sources give
// the same bytes on every machine. Command wasmbuild builds the embedded plugins
// with it, tests build hostile guests.
package build

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Root returns the module's root directory, found from the working directory.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", errors.New("not inside the ohhost module")
	}
	return filepath.Dir(mod), nil
}

// Plugins returns the folders of plugins/ that hold a main package, sorted.
func Plugins(root string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, "plugins"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if src, _ := filepath.Glob(filepath.Join(root, "plugins", e.Name(), "*.go")); len(src) > 0 {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Module compiles the main package pkg (relative to root, "./plugins/x") to a
// WASI reactor at out.
func Module(root, pkg, out string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-buildmode=c-shared",
		"-ldflags=-s -w -buildid=", "-o", out, pkg)
	cmd.Dir = root
	cmd.Env = environment()
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, bytes.TrimSpace(msg))
	}
	return nil
}

// environment is what the go command needs to find itself, its caches and the
// modules, and nothing that changes what it builds: GOEXPERIMENT, GOWASM,
// GOFLAGS, GOWORK and GOTOOLCHAIN each change the bytes.
func environment() []string {
	env := []string{
		"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWASM=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=" + runtime.Version(),
	}
	for _, keep := range []string{
		"PATH", "HOME", "TMPDIR", "GOROOT", "GOPATH", "GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GONOSUMDB",
		"SystemRoot", "LocalAppData", "UserProfile", "TEMP", "TMP",
	} {
		if v, ok := os.LookupEnv(keep); ok {
			env = append(env, keep+"="+v)
		}
	}
	return env
}

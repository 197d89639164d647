package selftest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/tool"
)

// A Machine is what the walls are built on here.
type Machine struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"` // empty where it does not tell
	CPUs   int    `json:"cpus"`
	Facts  []Fact `json:"facts"`
}

// A Fact is one of them.
type Fact struct {
	Name string `json:"name"`
	Have bool   `json:"have"`
	// Text says in a sentence what that means.
	Text string `json:"text"`
}

// look finds out what the machine has. dir is an empty directory; nothing of the
// user's is changed. userns says whether a process can be started in a user
// namespace of its own; nil is not known.
func look(dir string, userns func() error) *Machine {
	m := &Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernel(), CPUs: runtime.NumCPU()}
	m.Facts = append(m.Facts, openat2Fact(dir), compilerFact())
	m.Facts = append(m.Facts, systemFacts(userns)...)
	cache, err := os.UserCacheDir()
	m.Facts = append(m.Facts, dirFact("cache directory", cache, err, "compiled plugins are not kept: each start compiles them anew"))
	state, err := stateDir()
	m.Facts = append(m.Facts, dirFact("state directory", state, err, "there is no undo history, and no key for the cache"), userFact())
	return m
}

// openat2Fact asks the jail itself.
func openat2Fact(dir string) Fact {
	f := Fact{Name: "openat2"}
	j, err := jail.New(&tool.Grant{Paths: []tool.PathGrant{{Path: dir}}}, &jail.Options{Backend: jail.Openat2})
	if err != nil {
		f.Text = "no: paths are walked one name at a time (os.Root), which is as safe and slower"
		return f
	}
	f.Have, f.Text = true, "yes"
	if err := j.Close(); err != nil {
		f.Text = "yes, but: " + err.Error()
	}
	return f
}

// compilerFact says how guests run.
func compilerFact() Fact {
	switch {
	case interpreted():
		return Fact{"compiler", false, "not in this build: plugins are interpreted, and no code is cached"}
	case runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return Fact{"compiler", false, "not for this processor: plugins are interpreted, slowly"}
	}
	return Fact{"compiler", true, "yes"}
}

// stateDir is where programs of this user keep state (XDG Base Directory
// Specification).
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		return filepath.Join(home, "AppData", "Local"), nil
	}
	return filepath.Join(home, ".local", "state"), nil
}

// dirFact says whether ohhost has, or can make, a private directory below base.
// otherwise is what it means when not.
func dirFact(name, base string, err error, otherwise string) Fact {
	f := Fact{Name: name}
	if err == nil && !filepath.IsAbs(base) {
		err = errors.New("there is none for this user")
	}
	dir := filepath.Join(base, "ohhost")
	made := true
	if err == nil {
		made, err = privateDir(dir)
	}
	if err != nil {
		f.Text = fmt.Sprintf("no: %v; %s", err, otherwise)
		return f
	}
	f.Have = true
	f.Text = "private: " + dir
	if !made {
		f.Text = "private when it is made: " + dir
	}
	if on := fileSystem(dir); on != "" {
		f.Text += " (on " + on + ")"
	}
	return f
}

// nearest is the longest part of a path that exists, and whether that is all of it.
func nearest(path string) (string, bool) {
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			return at, at == path
		}
	}
}

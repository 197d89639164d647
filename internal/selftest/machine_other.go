//go:build !linux

package selftest

import "os/exec"

func kernel() string { return "" }

func systemFacts(func() error) []Fact { return nil }

func inUserNamespace(*exec.Cmd) bool { return false }

func fileSystem(string) string { return "" }

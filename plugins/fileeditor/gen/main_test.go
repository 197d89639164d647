package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	t.Parallel()
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../spec.json")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "spec.json is older than its source: run go generate ./plugins/fileeditor")
	source, err := goSource(want)
	require.NoError(t, err)
	got, err = os.ReadFile("../spec_json.go")
	require.NoError(t, err)
	require.Equal(t, string(source), string(got), "spec_json.go is older than its source: run go generate ./plugins/fileeditor")
}

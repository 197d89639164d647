package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/tool"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   tool.Change
		want string
	}{
		{"edit", tool.Change{Path: "/w/d/a", Before: []byte("1\n2\n"), After: []byte("1\n3\n")}, "--- a/d/a\n+++ b/d/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"},
		{"created", tool.Change{Path: "/w/a", After: []byte("1")}, "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+1\n\\ No newline at end of file\n"},
		{"deleted", tool.Change{Path: "/w/a", Before: []byte("1\n")}, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"},
		{"created empty", tool.Change{Path: "/w/a", After: []byte{}}, "--- /dev/null\n+++ b/a\n"},
		{"unchanged", tool.Change{Path: "/w/a", Before: []byte("1\n"), After: []byte("1\n")}, ""},
		{"outside", tool.Change{Path: "/w2/a", Before: []byte("1\n"), After: []byte("2\n")}, "--- a/w2/a\n+++ b/w2/a\n@@ -1 +1 @@\n-1\n+2\n"},
		{"binary", tool.Change{Path: "/w/a", Before: []byte("1\x00"), After: []byte("2\n")}, "Binary files a/a and b/a differ\n"},
		{"line ends", tool.Change{Path: "/w/a", Before: []byte("1\r\n"), After: []byte("1\n")}, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\r\n+1\n"},
		{"odd name", tool.Change{Path: "/w/a\n\"é\xff", Before: []byte("1\n"), After: []byte("2\n")},
			"--- \"a/a\\012\\\"\\303\\251\\377\"\n+++ \"b/a\\012\\\"\\303\\251\\377\"\n@@ -1 +1 @@\n-1\n+2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDiff("/w")
			d.add(tt.in)
			require.Equal(t, tt.want, d.String())
		})
	}
}

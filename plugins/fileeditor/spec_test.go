package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/guest"
)

// TestSpec compares what the module publishes with the recorded tool.
func TestSpec(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(conformance + "schemas.json")
	require.NoError(t, err)
	var recorded map[string]struct {
		Title string `json:"title"`
		Tool  any    `json:"mcp_tool"`
	}
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(b), "${W}", abi.CWDPlaceholder)), &recorded))
	want := recorded[toolName].Tool.(map[string]any)

	f, err := guest.Registered().Describe()
	require.NoError(t, err)
	var got struct {
		ABI   string           `json:"abi"`
		Tools []map[string]any `json:"tools"`
	}
	require.NoError(t, json.Unmarshal(f.Header, &got))
	require.Equal(t, abi.Version, got.ABI)
	require.Len(t, got.Tools, 1)
	spec := got.Tools[0]
	for key, value := range want {
		require.Equal(t, value, spec[key], key)
	}
	require.Equal(t, recorded[toolName].Title, spec["title"])
	require.Equal(t, map[string]any{"files": "write", "state": true}, spec["needs"])

	closed := want["inputSchema"].(map[string]any)
	closed["additionalProperties"] = false
	closed["properties"].(map[string]any)["insert_line"].(map[string]any)["minimum"] = 0.0
	require.Equal(t, closed, spec["closedSchema"])
}

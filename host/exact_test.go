package host

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
)

// TestCaseSensitive: threat R9: a key in another letter case is an unknown key.
func TestCaseSensitive(t *testing.T) {
	t.Parallel()
	_, err := parseAnswer(&abi.Frame{Header: []byte(`{"RESULT":{"content":[]}}`)}, nil)
	require.EqualError(t, err, "want exactly one of result, denied, raised and keys")
	a, err := parseAnswer(&abi.Frame{Header: []byte(`{"result":{"CONTENT":[{"type":"text","text":"x"}],"is_error":true,"Is_Error":false}}`)}, nil)
	require.NoError(t, err)
	require.Equal(t, &abi.Result{IsError: true}, a.result)
	_, err = parseDescription([]byte(`{"abi":"ohhost_v1","tools":[{"Name":"x","inputSchema":{}}]}`))
	require.EqualError(t, err, `tool name "": want 1 to 64 of the characters A-Z a-z 0-9 _ -`)
	_, err = parseDescription([]byte(`{"ABI":"ohhost_v1"}`))
	require.EqualError(t, err, `abi "": not supported (this host has ohhost_v1)`)
	name, err := serviceName([]byte(`{"service":"files","SERVICE":"state"}`))
	require.NoError(t, err)
	require.Equal(t, "files", name)
	b := newBench(t, true)
	h, _ := ask(t, b.files, `{"op":"stat","OP":"read"}`, b.dir)
	require.Contains(t, h, `"type":"dir"`)
}

// TestUnmarshal: it reads what encoding/json reads.
func TestUnmarshal(t *testing.T) {
	t.Parallel()
	var r filesRequest
	require.NoError(t, unmarshal([]byte(`{"op":"apply","max":5,"max":6,"other":[],"changes":[{"op":"edit","to":null,"data":2,"splices":[[1,2,3]],"undo_new":true}],"state":null}`), &r))
	two := 2
	require.Equal(t, filesRequest{Op: "apply", Max: 6, applyRequest: applyRequest{
		Changes: []changeRequest{{Op: "edit", Data: &two, Splices: [][]int{{1, 2, 3}}, UndoNew: true}},
	}}, r)
	for _, bad := range []string{``, `[]`, `{"op":1}`, `{"changes":{}}`, `{"changes":[1]}`, `{"changes":[{"splices":[["x"]]}]}`, `{"op":"x"} x`} {
		require.Error(t, unmarshal([]byte(bad), &r), bad)
	}
}

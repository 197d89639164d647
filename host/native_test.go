package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// A nativeGuest answers a call; files asks the service.
type nativeGuest func(g *guestSide) *abi.Frame

// guestSide is a call as a native guest sees it.
type guestSide struct {
	host.NativeImports
	args map[string]string
}

// invoke asks a service, and returns the header of the answer and its attachments.
func (g *guestSide) invoke(header string, attachments ...string) (string, []string) {
	f := abi.Frame{Header: []byte(header)}
	for _, a := range attachments {
		f.Attachments = append(f.Attachments, []byte(a))
	}
	req, err := f.Append(nil)
	if err != nil {
		panic(err)
	}
	answer, code := g.Invoke(req)
	if code < 0 {
		return fmt.Sprint("refused: ", code), nil
	}
	back, err := abi.DecodeFrame(answer)
	if err != nil {
		panic(err)
	}
	var as []string
	for _, a := range back.Attachments {
		as = append(as, string(a))
	}
	return string(back.Header), as
}

// frame makes an answer.
func frame(header string, attachments ...[]byte) *abi.Frame {
	return &abi.Frame{Header: []byte(header), Attachments: attachments}
}

// says is the answer of a tool with one text.
func says(text string) *abi.Frame {
	return frame(`{"result":{"content":[{"type":"text","attachment":0}]}}`, []byte(text))
}

// loadNative loads a guest that is linked into the test, as the tool "native".
func loadNative(t testing.TB, h *host.Host, serve nativeGuest) {
	t.Helper()
	require.NoError(t, h.LoadNative(context.Background(), "native", &host.Native{
		Describe: func() (*abi.Frame, error) {
			return frame(`{"abi":"ohhost_v1","tools":[{"name":"native","inputSchema":{}}]}`), nil
		},
		Serve: func(input []byte, imports host.NativeImports) (*abi.Frame, error) {
			f, err := abi.DecodeFrame(input)
			if err != nil {
				return nil, err
			}
			var c struct{ Args map[string]string }
			if err := json.Unmarshal(f.Header, &c); err != nil {
				return nil, err
			}
			return serve(&guestSide{imports, c.Args}), nil
		},
	}))
}

// bindNative binds it to a folder that it may write to.
func bindNative(t testing.TB, h *host.Host, dir string) tool.Tool {
	t.Helper()
	b, err := h.Bind(context.Background(), "native", &tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}})
	require.NoError(t, err)
	return b
}

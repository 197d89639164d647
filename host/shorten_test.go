package host_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/tool"
)

// outputFile finds the file that a notice names.
var outputFile = regexp.MustCompile(`The whole text is in (/.+/outputs/native-[0-9a-f]{16}\.txt)\.\]$`)

// smallOutput is a host whose results have at most n bytes of text.
func smallOutput(t testing.TB, n int) *host.Host {
	return newHost(t, func(o *host.Options) { o.Limits.Output = n })
}

// TestR9Output: of a long result a model gets the beginning, and the name of a file
// with all of it.
func TestR9Output(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, head string
	}{
		{"up to the end of a line", strings.Repeat("x", 70) + "\n" + strings.Repeat("y", 60), strings.Repeat("x", 70) + "\n"},
		{"no end of a line in its last half", "x\n" + strings.Repeat("y", 200), "x\n" + strings.Repeat("y", 98) + "\n"},
		{"not inside a character", strings.Repeat("日", 50), strings.Repeat("日", 33) + "\n"},
		{"bytes that are no character", strings.Repeat("a\xff", 60), strings.Repeat("a\uFFFD", 25) + "\n"},
		{"nothing but controls", strings.Repeat("\x00\x1b", 60), strings.Repeat("\x00\x1b", 50) + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := smallOutput(t, 100)
			loadNative(t, h, func(*guestSide) *abi.Frame { return says(c.text) })
			b := bindNative(t, h, workspace(t))
			res, err := b.Call(context.Background(), &tool.Call{})
			require.NoError(t, err)
			got := res.Content[0].Text
			file := outputFile.FindStringSubmatch(got)
			require.NotNil(t, file, got)
			whole := strings.ToValidUTF8(c.text, "\uFFFD")
			shown := strings.TrimSuffix(c.head, "\n")
			if strings.HasPrefix(whole, c.head) {
				shown = c.head
			}
			require.Equal(t, c.head+"[The result is cut here: these are "+strconv.Itoa(len(shown))+" of "+strconv.Itoa(len(whole))+" bytes. "+file[0], got)
			saved, err := os.ReadFile(file[1])
			require.NoError(t, err)
			require.Equal(t, whole, string(saved))
			info, err := os.Stat(file[1])
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode())
		})
	}
}

// TestR9OutputParts: the limit is on all texts together; images stay, and so do the
// fields.
func TestR9OutputParts(t *testing.T) {
	t.Parallel()
	h := smallOutput(t, 10)
	loadNative(t, h, func(*guestSide) *abi.Frame {
		return frame(`{"result":{"content":[{"type":"text","text":"1234567"},{"type":"image","mime":"image/png","attachment":0},`+
			`{"type":"text","text":"8901"},{"type":"text","text":"more"},{"type":"image","mime":"image/png","attachment":1}],"fields":{"n":1},"is_error":true}}`,
			[]byte("one"), []byte("two"))
	})
	res, err := bindNative(t, h, workspace(t)).Call(context.Background(), &tool.Call{})
	require.NoError(t, err)
	require.Len(t, res.Content, 4)
	notice := res.Content[2].Text
	file := outputFile.FindStringSubmatch(notice)
	require.NotNil(t, file, notice)
	require.Equal(t, &abi.Result{
		Content: []abi.Part{
			{Text: "1234567"}, {Image: []byte("one"), MIME: "image/png"},
			{Text: "890\n[The result is cut here: these are 10 of 15 bytes. " + file[0]},
			{Image: []byte("two"), MIME: "image/png"},
		},
		Fields: []abi.Field{{Name: "n", Value: abi.JSON("1")}}, IsError: true, Usage: res.Usage,
	}, res)
	saved, err := os.ReadFile(file[1])
	require.NoError(t, err)
	require.Equal(t, "12345678901more", string(saved))
}

// TestR9OutputRead: what was saved can be read by every tool of the session, with
// whatever grant, and by no other.
func TestR9OutputRead(t *testing.T) {
	t.Parallel()
	h := smallOutput(t, 10)
	loadNative(t, h, func(g *guestSide) *abi.Frame {
		if g.args["path"] == "" {
			return says(strings.Repeat("long ", 10))
		}
		header, as := g.invoke(`{"service":"files","op":"read"}`, g.args["path"])
		if len(as) == 0 {
			return says(header[:10])
		}
		if len(as[0]) != 50 {
			return says("other")
		}
		header, _ = g.invoke(`{"service":"files","op":"apply","changes":[{"op":"delete","path":0}]}`, g.args["path"])
		if !strings.Contains(header, `"denied"`) {
			return says("deleted")
		}
		return says("read")
	})
	dir := workspace(t)
	res, err := bindNative(t, h, dir).Call(context.Background(), &tool.Call{})
	require.NoError(t, err)
	file := outputFile.FindStringSubmatch(res.Content[0].Text)
	require.NotNil(t, file, res.Content[0].Text)
	for _, c := range []struct {
		grant tool.Grant
		want  string
	}{
		{tool.Grant{Workspace: dir, Paths: []tool.PathGrant{{Path: dir, Write: true}}}, "read"},
		{tool.Grant{Workspace: dir}, "read"},
		{tool.Grant{Workspace: dir, Session: "other"}, `{"error":{`},
		{tool.Grant{Workspace: workspace(t), Paths: []tool.PathGrant{{Path: "/", Write: true}}}, `{"error":{`},
	} {
		b, err := h.Bind(context.Background(), "native", &c.grant)
		require.NoError(t, err)
		res, err := b.Call(context.Background(), callPath(file[1]))
		require.NoError(t, err)
		require.Equal(t, c.want, res.Content[0].Text)
	}
}

// TestR9OutputNotSaved: where nothing may or can be saved, the notice says so.
func TestR9OutputNotSaved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long\n", 10)
	call := func(h *host.Host, c *tool.Call) string {
		loadNative(t, h, func(*guestSide) *abi.Frame { return says(long) })
		res, err := bindNative(t, h, workspace(t)).Call(context.Background(), c)
		require.NoError(t, err)
		return res.Content[0].Text
	}
	const cut = "long\nlong\n[The result is cut here: these are 10 of 50 bytes. The rest is not saved: "
	state := filepath.Join(t.TempDir(), "state")
	limits := func(o *host.Options) { o.Limits.Output = 12; o.StateDir = state }
	require.Equal(t, cut+"this is a dry run.]", call(newHost(t, limits), &tool.Call{DryRun: true}))
	outputs, err := filepath.Glob(state + "/sessions/*/outputs")
	require.NoError(t, err)
	require.Empty(t, outputs)

	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, cut+"this host has no directory for it.]",
		call(newHost(t, func(o *host.Options) { o.Limits.Output = 12; o.StateDir = file + "/state" }), &tool.Call{}))

	h := newHost(t, limits)
	loadNative(t, h, func(*guestSide) *abi.Frame { return says(long) })
	b := bindNative(t, h, workspace(t))
	sessions, err := filepath.Glob(state + "/sessions/*")
	require.NoError(t, err)
	for _, s := range sessions {
		require.NoError(t, os.WriteFile(s+"/outputs", nil, 0o600))
	}
	res, err := b.Call(context.Background(), &tool.Call{})
	require.NoError(t, err)
	require.Equal(t, cut+"not a directory.]", res.Content[0].Text)
}

// TestR9OutputWhole: a result within the limit is not touched.
func TestR9OutputWhole(t *testing.T) {
	t.Parallel()
	h := smallOutput(t, 10)
	loadNative(t, h, func(*guestSide) *abi.Frame { return says("0123456789") })
	res, err := bindNative(t, h, workspace(t)).Call(context.Background(), &tool.Call{})
	require.NoError(t, err)
	require.Equal(t, []abi.Part{{Text: "0123456789"}}, res.Content)
}

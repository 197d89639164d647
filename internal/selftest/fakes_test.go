package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host"
	"github.com/ohhost/ohhost/host/codecache"
	"github.com/ohhost/ohhost/tool"
)

// A maker makes what a world attacks.
type maker func(o *host.Options) (target, error)

// widened is a host with a hole: its grants are another's.
type widened struct {
	*host.Host
	grant func(*tool.Grant)
}

func (w widened) Bind(ctx context.Context, name string, g *tool.Grant) (tool.Tool, error) {
	c := *g
	w.grant(&c)
	return w.Host.Bind(ctx, name, &c)
}

// granting makes hosts that grant more than they were told.
func granting(grant func(*tool.Grant)) maker {
	return func(o *host.Options) (target, error) {
		h, err := host.New(o)
		return widened{h, grant}, err
	}
}

// everything covers the canary: all that lies around the workspace.
func everything(g *tool.Grant) {
	g.Paths = []tool.PathGrant{{Path: filepath.Dir(g.Workspace), Write: true}}
}

func unprotected(g *tool.Grant) { g.AllowProtected = []string{"*"} }

// unlimited makes hosts that have their default limits, which are far above those
// that the vectors set.
func unlimited(o *host.Options) (target, error) {
	o.Limits = host.Limits{LogLines: 1 << 30, LogBytes: 1 << 30}
	return host.New(o)
}

// obliging takes every module, and every call ends at once with the text "made"; the
// puppet is a naive one.
type obliging struct {
	names []string
	tool  func(name string) tool.Tool
	close func()
}

func (o *obliging) Load(_ context.Context, name string, _ []byte, _ []*abi.Spec) error {
	o.names = append(o.names, name)
	return nil
}

func (o *obliging) Specs() []*abi.Spec {
	var all []*abi.Spec
	for _, n := range o.names {
		all = append(all, &abi.Spec{Name: n})
	}
	return all
}

func (o *obliging) Bind(_ context.Context, name string, _ *tool.Grant) (tool.Tool, error) {
	return o.tool(name), nil
}

func (o *obliging) Close(context.Context) error {
	if o.close != nil {
		o.close()
	}
	return nil
}

// A stub is a tool that is a function.
type stub func(ctx context.Context, c *tool.Call) (*abi.Result, error)

func (stub) Spec() *abi.Spec { return &abi.Spec{Name: "made"} }

func (stub) Keys(context.Context, *tool.Call) ([]string, error) { return nil, nil }

func (s stub) Call(ctx context.Context, c *tool.Call) (*abi.Result, error) { return s(ctx, c) }

func made(context.Context, *tool.Call) (*abi.Result, error) {
	return &abi.Result{Content: []abi.Part{{Text: "made"}}}, nil
}

// doing makes obliging hosts whose tools do something beside in each call.
func doing(puppet tool.Tool, beside func(ctx context.Context, c *tool.Call)) maker {
	return func(*host.Options) (target, error) {
		return &obliging{tool: func(name string) tool.Tool {
			inner := tool.Tool(stub(made))
			if name == "puppet" {
				inner = puppet
			}
			return stub(func(ctx context.Context, c *tool.Call) (*abi.Result, error) {
				if beside != nil {
					beside(ctx, c)
				}
				return inner.Call(ctx, c)
			})
		}}, nil
	}
}

// attacking reports whether a call is one of an attack, not of the puppet's control.
func attacking(c *tool.Call) bool {
	steps, err := parseScript(c.Args)
	return err != nil || len(steps) != 5
}

// deaf makes hosts whose calls do not hear of their deadline, until the test ends.
func deaf(t *testing.T) maker {
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	return doing(&naive{}, func(_ context.Context, c *tool.Call) {
		if attacking(c) {
			<-end
		}
	})
}

// greedy makes hosts whose calls take memory, and do nothing else.
func greedy(size int) maker {
	return doing(stub(func(ctx context.Context, c *tool.Call) (*abi.Result, error) {
		steps, err := parseScript(c.Args)
		if err != nil || !attacking(c) {
			return (&naive{}).Call(ctx, c)
		}
		return &abi.Result{Fields: []abi.Field{{Text: bytes.Repeat([]byte("00"), 12*len(steps))}}}, nil
	}), func(_ context.Context, c *tool.Call) {
		if attacking(c) {
			b := bytes.Repeat([]byte{1}, size)
			time.Sleep(30 * time.Millisecond)
			b[0]++
		}
	})
}

// leaky makes hosts whose calls leave a file open, and a goroutine running.
func leaky(t *testing.T) maker {
	end := make(chan struct{})
	var files []*os.File
	t.Cleanup(func() {
		close(end)
		for _, f := range files {
			f.Close()
		}
	})
	left := make(chan struct{}, 1)
	left <- struct{}{}
	return doing(&naive{}, func(context.Context, *tool.Call) {
		<-left
		defer func() { left <- struct{}{} }()
		if f, err := os.Open(os.DevNull); err == nil && len(files) < 10 {
			files = append(files, f)
			go func() { <-end }()
		}
	})
}

// trusting is a host that keeps its plugins in a cache, as a host does, and takes
// whatever it finds there, wherever that is. Its plugins answer the word in their
// bytes.
type trusting struct {
	obliging
	opts *host.Options
}

func trust(o *host.Options) (target, error) { return &trusting{opts: o}, nil }

func (h *trusting) Load(_ context.Context, _ string, wasm []byte, _ []*abi.Spec) error {
	word := func(b []byte) string {
		if bytes.Contains(b, []byte(evil)) {
			return evil
		}
		return fair
	}
	says := word(wasm) // the constant is in LEB128: tell the two modules apart by their bytes
	if bytes.Equal(wasm, answering(evil)) {
		says = evil
	}
	file := filepath.Join(h.opts.CacheDir, "code", says+".entry")
	if b, err := os.ReadFile(file); err == nil {
		says = word(b)
	} else {
		c, err := codecache.Open(filepath.Dir(file), filepath.Join(h.opts.StateDir, "cache.key"), nil)
		if err != nil {
			return err
		}
		defer c.Close()
		if err := c.Store(says, [][]byte{[]byte(says)}); err != nil {
			return err
		}
	}
	text, err := json.Marshal(says)
	if err != nil {
		return err
	}
	h.tool = func(string) tool.Tool {
		return stub(func(context.Context, *tool.Call) (*abi.Result, error) {
			return &abi.Result{Content: []abi.Part{{Text: string(text[1 : len(text)-1])}}}, nil
		})
	}
	return nil
}

package host_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ohhost/ohhost/host"
	g "github.com/ohhost/ohhost/internal/wasmgen"
	"github.com/ohhost/ohhost/tool"
)

// TestR14Recursion: a guest that recurses without end, with small frames and large
// ones, with calls of the host in between, is at fault for its stack, and takes
// no memory of the host for good.
func TestR14Recursion(t *testing.T) {
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	recursion := func(locals uint32, body func(p *made) []byte) []byte {
		p := newMade("ohhost_v1.log", "ohhost_v1.progress", wasi+"random_get")
		self := g.Op(g.Call, p.more())
		p.Call = slices.Concat(g.I32Const(1), self, drop)
		p.More = func(b *g.Builder) {
			var list []g.Locals
			code := body(p)
			if locals > 0 { // all are used, or the compiler leaves them out
				list = []g.Locals{{N: locals, Type: g.I64}}
				for i := range locals {
					code = slices.Concat(code, get(0), []byte{0xac}, set(i+1))
				}
			}
			code = slices.Concat(code, get(0), g.I32Const(1), []byte{g.I32Add}, self)
			for i := range locals {
				code = slices.Concat(code, get(i+1), []byte{0xa7, g.I32Add})
			}
			b.Func(g.TypeI32I32, list, code, get(0), []byte{g.I32Add})
		}
		return p.Bytes()
	}
	nothing := func(*made) []byte { return nil }
	for i, c := range []struct {
		name   string
		locals uint32
		body   func(p *made) []byte
	}{
		{"plain", 0, nothing},
		{"100 locals", 100, nothing},
		{"1000 locals", 1000, nothing},
		{"host calls", 0, func(p *made) []byte { return p.call("log", 0, 0, 1) }},
		{"progress and WASI", 10, func(p *made) []byte {
			return slices.Concat(p.call("progress", 0, 1), p.call("random_get", 0, 8), drop)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := fmt.Sprint("deep", i)
			b := bind(t, h, name, recursion(c.locals, c.body))
			overflow := name + stackOverflow[len("hostile"):]
			_, err := call(b, hangLimit)
			require.EqualError(t, err, overflow)
			require.Equal(t, tool.KindFault, tool.Kind(err))
			before := rss()
			for range 10 {
				_, err = call(b, hangLimit)
				require.EqualError(t, err, overflow)
			}
			require.Less(t, rss(), before+64<<20)
		})
	}
	requireWell(t, h)
}

// TestR14Locals: as many locals as are accepted, 5 000 work, however often such functions
// call each other.
func TestR14Locals(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(o *host.Options) { o.NoCache = true })
	p := newMade()
	f := p.more()
	p.Call = slices.Concat(g.I32Const(100), g.Op(g.Call, f), drop)
	p.More = func(b *g.Builder) {
		b.Func(g.TypeI32I32, []g.Locals{{N: 4_999, Type: g.I64}}, get(0), []byte{g.If, g.I32},
			get(0), g.I32Const(1), []byte{i32Sub}, g.Op(g.Call, f), []byte{g.Else}, g.I32Const(1), []byte{g.End})
	}
	requireAnswers(t, bind(t, h, "locals", p.Bytes()))
}

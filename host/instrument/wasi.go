package instrument

import "github.com/ohhost/ohhost/abi"

// WASI error numbers of preview 1.
const (
	errnoInval       = 28
	errnoNameTooLong = 37
)

// Bounds of the arguments of WASI functions by which a guest makes the host work
// or allocate in proportion, inside of one call that nothing can interrupt.
const (
	maxBuffers       = 16      // one read or write may do less than it was asked
	maxPath          = 4096    // Linux's PATH_MAX
	maxSubscriptions = 4096    //
	maxDirBuffer     = 1 << 20 // bytes; a listing may be taken in pieces
	randomPiece      = 1 << 16 // bytes
)

// Costs of what such an argument counts, for which the host looks at no deadline.
const (
	costBuffer       = 2000 // of a write: the host moves 64 KiB twice to keep the end of it
	costSubscription = 8
	costRandom       = randomPiece / 2 // the system makes some 300 MB a second
)

// A bound is that of one parameter, an i32. With an errno the call fails with it
// when the argument is larger, without one the argument is lowered. What is left of
// it is charged at cost.
type bound struct {
	param uint32
	max   int64
	errno int64
	cost  int64
}

// bounds of wasi_snapshot_preview1; a function that is not here takes nothing that
// the host works for in proportion. random_get is split instead.
var bounds = map[string][]bound{
	"fd_read":    {{2, maxBuffers, 0, 0}},
	"fd_pread":   {{2, maxBuffers, 0, 0}},
	"fd_write":   {{2, maxBuffers, 0, costBuffer}},
	"fd_pwrite":  {{2, maxBuffers, 0, costBuffer}},
	"sock_recv":  {{2, maxBuffers, 0, 0}},
	"sock_send":  {{2, maxBuffers, 0, 0}},
	"fd_readdir": {{2, maxDirBuffer, 0, 0}},

	"path_create_directory":   {{2, maxPath, errnoNameTooLong, 0}},
	"path_filestat_get":       {{3, maxPath, errnoNameTooLong, 0}},
	"path_filestat_set_times": {{3, maxPath, errnoNameTooLong, 0}},
	"path_link":               {{3, maxPath, errnoNameTooLong, 0}, {6, maxPath, errnoNameTooLong, 0}},
	"path_open":               {{3, maxPath, errnoNameTooLong, 0}},
	"path_readlink":           {{2, maxPath, errnoNameTooLong, 0}, {4, maxDirBuffer, 0, 0}},
	"path_remove_directory":   {{2, maxPath, errnoNameTooLong, 0}},
	"path_rename":             {{2, maxPath, errnoNameTooLong, 0}, {5, maxPath, errnoNameTooLong, 0}},
	"path_symlink":            {{1, maxPath, errnoNameTooLong, 0}, {4, maxPath, errnoNameTooLong, 0}},
	"path_unlink_file":        {{2, maxPath, errnoNameTooLong, 0}},

	"poll_oneoff": {{2, maxSubscriptions, errnoInval, costSubscription}},
}

// boundWASI puts a function before each import that has a bound.
func (w *rewriter) boundWASI() {
	f := uint32(0)
	for _, im := range w.m.imports {
		if im.kind != kindFunction {
			continue
		}
		index := f
		f++
		if im.module != abi.WASI {
			continue
		}
		typ := w.m.importedFunctions[index]
		params, results := w.m.types[typ].params, w.m.types[typ].results
		if len(results) != 1 || results[0] != typeI32 {
			continue // not WASI's signature: it will not link
		}
		if im.name == "random_get" && string(params) == string([]byte{typeI32, typeI32}) {
			w.moved[index] = w.add(typ, func() []byte { return w.randomBody(index) })
			continue
		}
		list := bounds[im.name]
		for _, b := range list {
			if int(b.param) >= len(params) || params[b.param] != typeI32 {
				list = nil
			}
		}
		if list != nil {
			w.moved[index] = w.add(typ, func() []byte { return w.boundBody(index, len(params), list) })
		}
	}
}

func (w *rewriter) boundBody(index uint32, params int, list []bound) []byte {
	c := code{w: w, b: []byte{0}}
	for _, b := range list {
		c.get(b.param).i32(b.max).op(opI32GtU).open(opIf)
		if b.errno != 0 {
			c.i32(b.errno).op(opReturn)
		} else {
			c.i32(b.max).set(b.param)
		}
		c.op(opEnd)
		if b.cost != 0 {
			c.chargeItems(b.param, b.cost)
			c.test()
		}
	}
	for p := range params {
		c.get(uint32(p))
	}
	c.call(index).op(opEnd)
	return c.b
}

// randomBody is random_get(buf, len) in pieces.
func (w *rewriter) randomBody(index uint32) []byte {
	c := code{w: w, b: []byte{1, 1, typeI32}} // a local for the errno
	c.open(opLoop)
	c.check(costImport + costRandom)
	c.get(1).i32(randomPiece).op(opI32GtU).open(opIf)
	c.get(0).i32(randomPiece).call(index).tee(2).open(opIf).get(2).op(opReturn).op(opEnd)
	c.get(0).i32(randomPiece).op(opI32Add).set(0)
	c.get(1).i32(randomPiece).op(opI32Sub).set(1)
	c.branch(1)
	c.op(opEnd).op(opEnd)
	c.get(0).get(1).call(index).op(opEnd)
	return c.b
}

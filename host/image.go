package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/api"
)

const pageSize = 64 << 10 // of WebAssembly

// An image is the state of an instance after its start-up code has run: its memory
// and its mutable globals. New instances begin with it.
type image struct {
	pages   uint32   // of memory, 64 KiB each
	globals []uint64 // in the module's order, the bits of floats
	runs    []run    // what is not zero

	mu     sync.Mutex
	uses   int
	shared *sharedImage // made for the second instance
}

// A run is bytes at an offset in memory.
type run struct {
	offset uint32
	bytes  []byte
}

// takeImage takes down the state of an instance; globals are names of exports.
func takeImage(mod api.Module, globals []string) (*image, error) {
	mem := mod.Memory()
	b, ok := mem.Read(0, mem.Size())
	if !ok {
		return nil, errors.New("the memory cannot be read")
	}
	im := &image{pages: mem.Size() / pageSize, runs: takeRuns(b)}
	for _, name := range globals {
		g := mod.ExportedGlobal(name)
		if g == nil {
			return nil, fmt.Errorf("the module does not export %q", name)
		}
		im.globals = append(im.globals, g.Get())
	}
	return im, nil
}

// chunk is how finely an image tells zeros from the rest: a page of the machine,
// since that is what is copied when an instance first writes to one.
const chunk = 4 << 10

// takeRuns copies what is not zero.
func takeRuns(b []byte) []run {
	var zero [chunk]byte
	var runs []run
	begin := -1
	for at := 0; at <= len(b); at += chunk {
		empty := at == len(b) || string(b[at:at+chunk]) == string(zero[:])
		switch {
		case begin < 0 && !empty:
			begin = at
		case begin >= 0 && empty:
			runs = append(runs, run{uint32(begin), append([]byte{}, b[begin:at]...)})
			begin = -1
		}
	}
	return runs
}

// size is how many bytes of memory the image holds.
func (im *image) size() int {
	n := 0
	for _, r := range im.runs {
		n += len(r.bytes)
	}
	return n
}

// thaw gives a new instance the state, globals are the names it exports them
// under. The memory is written unless it has the contents already.
func (im *image) thaw(mod api.Module, globals []string, filled bool) error {
	mem := mod.Memory()
	if have := mem.Size() / pageSize; have < im.pages {
		if _, ok := mem.Grow(im.pages - have); !ok {
			return fmt.Errorf("the memory cannot grow to %d pages", im.pages)
		}
	}
	if !filled {
		for _, r := range im.runs {
			if !mem.Write(r.offset, r.bytes) {
				return errors.New("the state does not fit into the memory")
			}
		}
	}
	if len(globals) != len(im.globals) {
		return fmt.Errorf("the state has %d globals, the module %d", len(im.globals), len(globals))
	}
	for i, name := range globals {
		g, ok := mod.ExportedGlobal(name).(api.MutableGlobal)
		if !ok {
			return fmt.Errorf("the module does not export %q as a mutable global", name)
		}
		g.Set(im.globals[i])
	}
	return nil
}

// share returns the image as instances can map it, or nil where it is used for
// the first time, when copying is cheaper, or cannot be mapped.
func (im *image) share() *sharedImage {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.uses++; im.uses == 2 {
		im.shared = newSharedImage(im)
	}
	return im.shared
}

// close frees what instances map. Those that do so already keep it.
func (im *image) close() {
	im.mu.Lock()
	defer im.mu.Unlock()
	im.shared.close()
	im.shared = nil
}

// encode returns the image as bytes, for the cache: pages, the number of globals
// and they, the number of runs, and for each its offset, its length and its bytes.
func (im *image) encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, im.pages)
	b = le.AppendUint32(b, uint32(len(im.globals)))
	for _, g := range im.globals {
		b = le.AppendUint64(b, g)
	}
	b = le.AppendUint32(b, uint32(len(im.runs)))
	for _, r := range im.runs {
		b = le.AppendUint32(b, r.offset)
		b = le.AppendUint32(b, uint32(len(r.bytes)))
		b = append(b, r.bytes...)
	}
	return b
}

var errImage = errors.New("the state of a module is damaged")

// decodeImage reads what encode wrote; the runs are parts of b.
func decodeImage(b []byte) (*image, error) {
	take := func(n int) []byte {
		if b == nil || n < 0 || n > len(b) {
			b = nil
			return make([]byte, max(0, min(n, 8)))
		}
		v := b[:n:n]
		b = b[n:]
		return v
	}
	u32 := func() uint32 { return binary.LittleEndian.Uint32(take(4)) }
	im := &image{pages: u32()}
	for n := u32(); n > 0 && b != nil; n-- {
		im.globals = append(im.globals, binary.LittleEndian.Uint64(take(8)))
	}
	for n := u32(); n > 0 && b != nil; n-- {
		r := run{offset: u32()}
		r.bytes = take(int(u32()))
		if last := len(im.runs) - 1; last >= 0 && uint64(r.offset) < uint64(im.runs[last].offset)+uint64(len(im.runs[last].bytes)) {
			return nil, errImage
		}
		if uint64(r.offset)+uint64(len(r.bytes)) > uint64(im.pages)*pageSize {
			return nil, errImage
		}
		im.runs = append(im.runs, r)
	}
	if b == nil || len(b) > 0 || im.pages > 1<<16 {
		return nil, errImage
	}
	return im, nil
}

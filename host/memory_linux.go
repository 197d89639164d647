package host

import (
	"sync/atomic"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

const (
	// lazyMemory is how much of its memory a guest may touch for the first time
	// while it runs. A page that is touched first costs a microsecond or two that
	// no check can interrupt; 256 MiB of them would hold up the collector and
	// overrun a deadline by a tenth of a second. What is beyond is made ready when
	// the memory grows, in pieces with a look at the deadline between them.
	lazyMemory = 8 << 20
	readyPiece = 4 << 20

	// warmMax is how large the memory of an instance may have become to be used
	// again: beyond, cleaning it costs more than new memory.
	warmMax = 16 << 20
)

// reserve maps a guest's whole address range at once, so that growing copies
// nothing and pages that are not touched cost nothing; with the arena's image at
// its front, if it has one, and true.
func reserve(limit uint64, a *arena) (experimental.LinearMemory, bool) {
	b, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return &heapMemory{}, false // the address space is limited (ulimit -v)
	}
	return &mappedMemory{b: b, arena: a, ready: lazyMemory}, a.image.mapInto(b)
}

// mappedMemory is a reserved range of which the first bytes are in use.
type mappedMemory struct {
	b     []byte
	arena *arena
	ready int // bytes that may be touched
	used  int // bytes that were handed out
}

// warmMemory maps memory for an instance that begins with an image, and touches
// what it will use, so that the guest need not. Nil where that is not possible or
// not worth while.
func warmMemory(limit uint64, im *image) *mappedMemory {
	size := int(im.pages) * pageSize
	if size > warmMax || uint64(size) > limit {
		return nil
	}
	b, err := unix.Mmap(-1, 0, int(limit), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	_ = unix.Madvise(b[:size], unix.MADV_POPULATE_WRITE) // else writing does it
	m := &mappedMemory{b: b, ready: max(size, lazyMemory), used: size}
	m.reset(im)
	return m
}

// small reports whether the memory is worth cleaning.
func (m *mappedMemory) small() bool { return m.used <= warmMax }

// reset makes the memory's contents those of the image again, all of it, and
// reports whether the memory is small enough for that.
func (m *mappedMemory) reset(im *image) bool {
	if !m.small() {
		return false
	}
	at := 0
	for _, r := range im.runs {
		clear(m.b[at:r.offset])
		at = int(r.offset) + copy(m.b[r.offset:], r.bytes)
	}
	clear(m.b[at:m.used])
	return true
}

// Reallocate returns the first size bytes, or nil beyond the reservation.
func (m *mappedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.b)) {
		return nil
	}
	for m.ready < int(size) && (m.arena.stop == nil || !m.arena.stop()) {
		piece := m.b[m.ready:min(m.ready+readyPiece, int(size))]
		_ = unix.Madvise(piece, unix.MADV_HUGEPAGE) // as it can
		if unix.Madvise(piece, unix.MADV_POPULATE_WRITE) != nil {
			for i := 0; i < len(piece); i += chunk { // Linux before 5.14
				// What is there stays: it may be an image's.
				atomic.OrUint32((*uint32)(unsafe.Pointer(&piece[i])), 0)
			}
		}
		m.ready += len(piece)
	}
	m.used = max(m.used, int(size))
	return m.b[:size:len(m.b)]
}

// Free gives the range back.
func (m *mappedMemory) Free() {
	if m.b != nil {
		_ = unix.Munmap(m.b)
		m.b = nil
	}
}

func base(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

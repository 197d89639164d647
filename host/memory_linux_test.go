package host

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWarmMemory: memory that is used again begins as new memory does, whatever a
// guest has written and however far it has grown.
func TestWarmMemory(t *testing.T) {
	b := patterned(3)
	im := imageOf(b)
	m := warmMemory(64<<20, im)
	require.NotNil(t, m)
	for _, grown := range []int{3, 4, 40, 200, 3} {
		a := &arena{warm: m}
		l := a.Allocate(0, 64<<20)
		require.True(t, a.filled)
		require.Equal(t, b, l.Reallocate(3*pageSize))
		got := l.Reallocate(uint64(grown * pageSize))
		require.True(t, bytes.Equal(make([]byte, len(got)-len(b)), got[len(b):]), "zeros behind the image")
		for i := range got {
			got[i] = 0xff
		}
		require.Nil(t, l.Reallocate(65<<20))
		l.Free() // wazero does
		require.Same(t, m, a.release())
		a.free()
		require.True(t, m.reset(im))
		require.Equal(t, b, m.b[:len(b)])
	}
	m.arena = &arena{}
	m.Reallocate(warmMax + 1)
	require.False(t, m.reset(im), "too large to be cleaned")
	m.Free()
	m.Free()
	require.Nil(t, warmMemory(2*pageSize, im), "the image must fit")
}

// TestSharedImage: instances that map an image do not see each other's writes.
func TestSharedImage(t *testing.T) {
	b := patterned(3)
	im := imageOf(b)
	require.Nil(t, im.share(), "the first instance copies")
	s := im.share()
	require.NotNil(t, s)
	defer im.close()
	first, second := &arena{image: s}, &arena{image: s}
	defer first.free()
	defer second.free()
	one, two := first.Allocate(0, 64<<20).Reallocate(3*pageSize), second.Allocate(0, 64<<20).Reallocate(3*pageSize)
	require.True(t, first.filled)
	require.Equal(t, b, one)
	for i := range one {
		one[i] = 0xff
	}
	require.Equal(t, b, two)
	_, err := s.file.WriteAt([]byte{1}, 0)
	require.Error(t, err, "it is sealed")
}

// TestMemoryReady: memory beyond what may be touched lazily is made ready when it is
// handed out, unless the call is over.
func TestMemoryReady(t *testing.T) {
	over := false
	a := &arena{stop: func() bool { return over }}
	defer a.free()
	l := a.Allocate(0, 64<<20)
	l.Reallocate(lazyMemory)
	m := a.memory[0].(*mappedMemory)
	require.Equal(t, lazyMemory, m.ready)
	l.Reallocate(lazyMemory + pageSize)
	require.Equal(t, lazyMemory+pageSize, m.ready)
	over = true
	got := l.Reallocate(64 << 20)
	require.Equal(t, lazyMemory+pageSize, m.ready)
	require.Len(t, got, 64<<20)
}

package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestState(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "s")
	s := open(t, dir)
	_, ok, err := s.Get(ctx, "a")
	require.NoError(t, err)
	require.False(t, ok)

	long := strings.Repeat("Z", 128)
	for _, name := range []string{"A", "a", ".", "..", "con", long} {
		require.NoError(t, s.Put(ctx, name, []byte("of "+name)))
	}
	require.NoError(t, s.Put(ctx, "empty", nil))
	require.NoError(t, s.Put(ctx, "a", []byte("again")))
	require.NoError(t, s.Delete(ctx, "con"))
	require.NoError(t, s.Delete(ctx, "never was"[:5]))

	other := open(t, dir)
	names, err := other.List(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{".", "..", "A", long, "a", "empty"}, names)
	for name, want := range map[string]string{"A": "of A", "a": "again", "..": "of ..", long: "of " + long, "empty": ""} {
		got, ok, err := other.Get(ctx, name)
		require.NoError(t, err)
		require.True(t, ok, name)
		require.Equal(t, want, string(got), name)
	}
}

func TestStateNames(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s"))
	for _, name := range []string{"", "a/b", "a\x00", "ä", "a b", strings.Repeat("x", 129)} {
		_, _, err := s.Get(t.Context(), name)
		require.ErrorIs(t, err, ErrName, "%q", name)
		require.ErrorIs(t, s.Put(t.Context(), name, nil), ErrName, "%q", name)
		require.ErrorIs(t, s.Delete(t.Context(), name), ErrName, "%q", name)
	}
}

func TestStateQuota(t *testing.T) {
	ctx := t.Context()
	s := open(t, filepath.Join(t.TempDir(), "s"))
	whole := bytes.Repeat([]byte("x"), MaxState)
	require.NoError(t, s.Put(ctx, "a", whole))
	require.ErrorIs(t, s.Put(ctx, "b", nil), ErrQuota, "an empty blob counts too")
	require.ErrorIs(t, s.Put(ctx, "a", append(whole, 'x')), ErrQuota)
	got, ok, err := s.Get(ctx, "a")
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, bytes.Equal(whole, got))
	require.NoError(t, s.Put(ctx, "a", whole[:MaxState-minCharge]))
	require.NoError(t, s.Put(ctx, "b", nil))
	require.ErrorIs(t, s.Put(ctx, "c", nil), ErrQuota)
}

func TestStateBetweenSessions(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "s")
	var wg sync.WaitGroup
	for i := range 4 {
		s := open(t, dir)
		for j := range 5 {
			wg.Go(func() {
				for k := range 5 {
					name := fmt.Sprintf("b%d", (i+j+k)%3)
					_ = s.Put(ctx, name, bytes.Repeat([]byte{byte('a' + i)}, 10_000))
					got, ok, err := s.Get(ctx, name)
					if err != nil || !ok || len(got) != 10_000 || bytes.Count(got, got[:1]) != 10_000 {
						t.Errorf("%s: %v %v, %d bytes, not of one writer", name, ok, err, len(got))
					}
				}
			})
		}
	}
	wg.Wait()
	files, err := os.ReadDir(filepath.Join(dir, "state"))
	require.NoError(t, err)
	require.Len(t, files, 3, "no temporary file stays")
}

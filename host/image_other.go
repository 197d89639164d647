//go:build !linux

package host

// A sharedImage does not exist on this system: images are copied.
type sharedImage struct{}

func newSharedImage(*image) *sharedImage { return nil }

func (*sharedImage) mapInto([]byte) bool { return false }

func (*sharedImage) close() {}

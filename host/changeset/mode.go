package changeset

import "io/fs"

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// bits are the twelve permission bits as the system counts them.
func bits(m fs.FileMode) uint32 {
	b := uint32(m.Perm())
	for i, special := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if m&special != 0 {
			b |= 0o1000 << i
		}
	}
	return b
}

// fromBits is the inverse of bits.
func fromBits(b uint32) fs.FileMode {
	m := fs.FileMode(b & 0o777)
	for i, special := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if b&(0o1000<<i) != 0 {
			m |= special
		}
	}
	return m
}

package codecache

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// An entry, version 1; integers are u64, little-endian:
//
//	magic | number of parts | length of each part | parts | nonce (12) | tag (16)
//
// The tag is AES-256-GCM's (NIST SP 800-38D) over an empty text with all that lies
// before the nonce as additional data: GMAC. The key is derived (HKDF, RFC 5869)
// from the cache's for this version and this name, so that an entry fails under
// any other name and version.
//
// GMAC and not HMAC-SHA256, because every start of a program waits for it: 8 MB
// take 1.0 ms against 4.7, and 17 on processors without instructions for SHA
// (measured on x86-64). Its two weaknesses do not matter here. It breaks when a
// nonce repeats under a key: nonces are random, a key serves the few entries of
// one name. And a forgery succeeds by chance more often the longer the text is: with
// about 2^-103 a trial for the longest entry.

// magic is the version as a file shows it.
const magic = "ohcode1\n"

// keyInfo is the version as the derived key knows it; the name follows.
const keyInfo = "ohhost codecache entry 1\x00"

// sealSize is the length of nonce and tag.
const sealSize = 12 + 16

// An unfitError says why something is there but must not be used.
type unfitError string

func (e unfitError) Error() string { return string(e) }

// seal returns an entry with the given parts.
func seal(key []byte, name string, parts [][]byte) ([]byte, error) {
	mac, err := newMAC(key, name)
	if err != nil {
		return nil, err
	}
	size := len(magic) + 8 + 8*len(parts) + sealSize
	for _, p := range parts {
		if size += len(p); size > maxEntry {
			return nil, fmt.Errorf("it would have more than %d bytes", maxEntry)
		}
	}
	b := make([]byte, 0, size)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(parts)))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	for _, p := range parts {
		b = append(b, p...)
	}
	return mac.Seal(b, nil, nil, b), nil
}

// open verifies an entry and returns its parts, which are slices of b. Nothing of
// b but the magic is looked at before all of it is known to be ours. An entry that
// must not be used is an unfitError.
func open(key []byte, name string, b []byte) ([][]byte, error) {
	if !bytes.HasPrefix(b, []byte(magic)) {
		return nil, unfitError("it is empty, damaged or of another version")
	}
	if len(b) < len(magic)+8+sealSize {
		return nil, unfitError("it is cut short")
	}
	mac, err := newMAC(key, name)
	if err != nil {
		return nil, err
	}
	end := len(b) - sealSize
	// Open compares the tags in constant time.
	if _, err := mac.Open(nil, nil, b[end:], b[:end]); err != nil {
		return nil, unfitError("its MAC is wrong: it was changed, or stored under another name or key")
	}
	return split(b[:end])
}

// split returns the parts in the authenticated half of an entry.
func split(b []byte) ([][]byte, error) {
	const damaged = unfitError("its lengths do not add up")
	if len(b) < len(magic)+8 {
		return nil, damaged
	}
	count := binary.LittleEndian.Uint64(b[len(magic):])
	b = b[len(magic)+8:]
	if count > uint64(len(b)/8) {
		return nil, damaged
	}
	lengths, rest := b[:8*count], b[8*count:]
	parts := make([][]byte, count)
	for i := range parts {
		n := binary.LittleEndian.Uint64(lengths[8*i:])
		if n > uint64(len(rest)) {
			return nil, damaged
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) != 0 {
		return nil, damaged
	}
	return parts, nil
}

// newMAC returns the GMAC of entries of one name. It chooses its nonces itself and
// puts them before the tag.
func newMAC(key []byte, name string) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, keyInfo+name, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

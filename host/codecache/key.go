package codecache

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the length of the key in bytes.
const keySize = 32

// openKey returns the key in file, which it makes if it is missing. A key in the
// cache's own directory is refused: it would be copied, shared and mounted with
// the entries, and whoever can write to those could replace it.
func openKey(file string, cache *dir) ([]byte, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	d, err := openDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer d.close()
	for _, above := range d.way {
		if os.SameFile(above, cache.self()) {
			return nil, fmt.Errorf("%s lies in the directory of the cache, %s: name a file outside of it", path, cache.path)
		}
	}
	base := filepath.Base(path)
	key, err := readKey(d, base)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(d, base); err == nil {
			key, err = readKey(d, base)
		}
	}
	return key, err
}

func readKey(d *dir, name string) ([]byte, error) {
	var key []byte
	data, _, err := d.read(name, keySize)
	if err == nil {
		key = data.b
		if len(key) != keySize {
			err = unfitError(fmt.Sprintf("it has %d bytes and not %d", len(key), keySize))
		}
	}
	if unfit, ok := errors.AsType[unfitError](err); ok {
		return nil, fmt.Errorf("%s: %w; remove it, and a new key is made", filepath.Join(d.path, name), unfit)
	}
	return key, err
}

// makeKey writes a new key. Of several processes that do this at once, the first
// one's link stays, and all of them read that key. It is synced: an empty file
// after a power failure would be a key that is refused for ever.
func makeKey(d *dir, name string) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails, see its documentation
	temp, err := d.writeTemp(key, true)
	if err != nil {
		return err
	}
	defer func() { _ = d.root.Remove(temp) }()
	err = d.root.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// The file system has no hard links. Two processes that meet here may use two
	// keys for once; the entries of one are then made anew.
	return d.root.Rename(temp, name)
}

// KeyID tells keys apart without telling the key: 16 hex digits. Where several
// keys may be used with one directory, it belongs into the names of entries, so
// that one's entries are not found by another instead of being refused.
func (c *Cache) KeyID() string {
	id, err := hkdf.Key(sha256.New, c.key, nil, "ohhost codecache key id 1", 8)
	if err != nil { // never, for this length
		return ""
	}
	return hex.EncodeToString(id)
}

package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A keyHash stands for a key in a file's name.
type keyHash [16]byte

func hashKey(key string) keyHash {
	sum := sha256.Sum256([]byte(key))
	return keyHash(sum[:16])
}

// States of an undo entry, by the extension of its file.
const (
	stateDone    = ".entry" // part of the history
	statePending = ".new"   // its edit was prepared; whether it happened is open
	stateUndoing = ".undo"  // its undo was prepared; whether it happened is open
)

// A slot is an entry as its file's name tells it:
//
//	<seq, 16 hex>-<key hash, 32 hex>-<charge, hex><state>
//
// so that a list of names is all it takes to find an entry, the oldest ones, and
// how much there is.
type slot struct {
	seq    uint64 // ascends in the order in which entries were made
	key    keyHash
	charge int64
	state  string
}

func (sl slot) file() string {
	return fmt.Sprintf("%016x-%x-%x%s", sl.seq, sl.key[:], sl.charge, sl.state)
}

// parseSlot is the inverse of file; any other name is not ok.
func parseSlot(name string) (slot, bool) {
	var sl slot
	dot := strings.IndexByte(name, '.')
	if dot < 0 {
		return sl, false
	}
	parts := strings.Split(name[:dot], "-")
	sl.state = name[dot:]
	if len(parts) != 3 || len(parts[1]) != 2*len(sl.key) {
		return sl, false
	}
	seq, err1 := strconv.ParseUint(parts[0], 16, 64)
	size, err2 := strconv.ParseInt(parts[2], 16, 64)
	_, err3 := hex.Decode(sl.key[:], []byte(parts[1]))
	if err1 != nil || err2 != nil || err3 != nil {
		return sl, false
	}
	sl.seq, sl.charge = seq, size
	// Only names that we would write: no sign, no upper case, no other state.
	known := sl.state == stateDone || sl.state == statePending || sl.state == stateUndoing
	return sl, known && size >= 0 && sl.file() == name
}

// scan reads the slots from the directory.
func (s *Session) scan() error {
	names, err := s.undo.names()
	if err != nil {
		return err
	}
	s.slots = s.slots[:0]
	for _, n := range names {
		if sl, ok := parseSlot(n); ok {
			s.slots = append(s.slots, sl)
		}
	}
	slices.SortFunc(s.slots, func(a, b slot) int { return cmp.Compare(a.seq, b.seq) })
	return nil
}

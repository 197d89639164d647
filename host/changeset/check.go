package changeset

import (
	"encoding/hex"
	"fmt"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/session"
)

// check refuses a set that cannot be meant.
func check(set *Set, hasSession bool) error {
	if len(set.Changes) > 1 {
		return ErrManyFiles
	}
	for i := range set.Changes {
		c := &set.Changes[i]
		if why := c.wrong(); why != "" {
			return &ChangeError{Index: i, Path: c.Path, Err: fmt.Errorf("%w: %s", ErrInvalid, why)}
		}
	}
	for _, b := range set.State {
		if err := session.CheckName(b.Name); err != nil {
			return err
		}
	}
	if len(set.State) > 0 && !hasSession {
		return fmt.Errorf("%w: state without a session", ErrInvalid)
	}
	return nil
}

// wrong says what is wrong with the change, or nothing.
func (c *Change) wrong() string {
	switch c.Op {
	case Put, Edit, Delete:
	case Move, Mkdir:
		if c.Undo != "" {
			return string(c.Op) + " has no undo"
		}
	case Undo:
		if c.Undo == "" {
			return "undo needs a key"
		}
	default:
		return fmt.Sprintf("unknown operation %.40q", string(c.Op))
	}
	switch {
	case c.Op != Edit && len(c.Splices) > 0:
		return "splices belong to edit"
	case c.Op != Put && len(c.Data) > 0:
		return "data belongs to put"
	case (c.Op == Move) != (c.To != ""):
		return "move, and only move, needs the new name"
	case c.UndoNew && (c.Undo == "" || c.Op != Put && c.Op != Edit):
		return "undo_new needs a put or an edit with an undo key"
	case c.Max < 0:
		return "max is negative"
	case c.Expect != "" && c.Expect != abi.Absent && !isDigest(c.Expect):
		return "expect is neither a digest nor " + abi.Absent
	}
	return ""
}

func isDigest(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && hex.EncodeToString(b) == s
}

package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/changeset"
	"github.com/ohhost/ohhost/host/text"
	"github.com/ohhost/ohhost/tool"
)

// applyRequest is the part of a files request that apply reads.
type applyRequest struct {
	Changes []changeRequest `json:"changes"`
	State   []stateRequest  `json:"state"`
}

// changeRequest is a Change of package abi; numbers are attachments.
type changeRequest struct {
	Op      string  `json:"op"`
	Path    int     `json:"path"`
	To      *int    `json:"to"`
	Data    *int    `json:"data"`
	Splices [][]int `json:"splices"`
	Expect  string  `json:"expect"`
	Max     int64   `json:"max"`
	Undo    *int    `json:"undo"`
	UndoNew bool    `json:"undo_new"`
}

type stateRequest struct {
	Name string `json:"name"`
	Data int    `json:"data"`
}

// changeAnswer is one element of an apply answer's changes.
type changeAnswer struct {
	Created       bool   `json:"created"`
	Size          int64  `json:"size"`
	Digest        string `json:"digest"`
	ConvertedFrom string `json:"converted_from,omitempty"`
	OldText       *int   `json:"old_text"`
	NewText       *int   `json:"new_text"`
}

// apply hands a change set to package changeset and tells the caller what
// changed.
func (s *filesService) apply(ctx context.Context, r *applyRequest, req *abi.Frame) (*abi.Frame, error) {
	if s.readOnly {
		return invalid("apply: not while resource keys are asked for")
	}
	if err := s.quota.check(len(r.Changes)); err != nil {
		return nil, err
	}
	set, err := r.set(req)
	if err != nil {
		return invalid("apply: " + err.Error())
	}
	opts := &changeset.Options{NoSync: s.noSync, DryRun: s.call.DryRun, MaxBytes: s.quota.left()}
	outcomes, err := changeset.Apply(ctx, s.jail, s.sess, set, opts)
	if errors.Is(err, changeset.ErrWritten) {
		return nil, s.quota.full()
	}
	if err != nil {
		return nil, err
	}
	s.quota.took(set, outcomes)
	s.applied = s.applied || !s.call.DryRun
	answers := make([]changeAnswer, len(outcomes))
	for i := range outcomes {
		o := &outcomes[i]
		s.tell(o)
		if o.Unsynced != nil {
			s.log.Warn("a change was made, but a power cut may still undo it", "error", o.Unsynced)
		}
		answers[i] = changeAnswer{
			Created: o.Created, Size: o.Size, Digest: o.Digest, ConvertedFrom: o.ConvertedFrom,
			OldText: s.keep(o.OldText), NewText: s.keep(o.NewText),
		}
	}
	return reply(map[string]any{"changes": answers})
}

// tell tells the caller of a change: a move is the end of one file and the
// beginning of another.
func (s *filesService) tell(o *changeset.Outcome) {
	switch {
	case s.call.Changed == nil:
	case o.From != "":
		s.call.Changed(tool.Change{Path: o.From, Before: o.Before})
		s.call.Changed(tool.Change{Path: o.Path, After: o.After})
	default:
		s.call.Changed(tool.Change{Path: o.Path, Before: o.Before, After: o.After})
	}
}

// set builds the change set. Contents are copied, each once: a request's bytes are
// the guest's memory, and what is written must not change under the writer.
func (r *applyRequest) set(req *abi.Frame) (*changeset.Set, error) {
	if len(r.State) > maxState {
		return nil, fmt.Errorf("state has %d values, at most %d are taken", len(r.State), maxState)
	}
	from := &contents{req: req, copies: map[int][]byte{}}
	set := &changeset.Set{}
	for i := range r.Changes {
		c, err := r.Changes[i].change(from)
		if err != nil {
			return nil, fmt.Errorf("changes[%d]: %w", i, err)
		}
		set.Changes = append(set.Changes, c)
	}
	for i := range r.State {
		data, err := from.bytes(&r.State[i].Data, "data")
		if err != nil {
			return nil, fmt.Errorf("state[%d]: %w", i, err)
		}
		set.State = append(set.State, changeset.StatePut{Name: r.State[i].Name, Data: data})
	}
	return set, nil
}

func (c *changeRequest) change(from *contents) (out changeset.Change, err error) {
	out = changeset.Change{Op: changeset.Op(c.Op), Expect: c.Expect, Max: c.Max, UndoNew: c.UndoNew}
	if out.Op == changeset.Edit && (out.Max == 0 || out.Max > maxRead) {
		out.Max = maxRead // its splices are over a text that was read
	}
	if out.Path, err = from.path(&c.Path, "path"); err != nil {
		return out, err
	}
	if c.To != nil {
		if out.To, err = from.path(c.To, "to"); err != nil {
			return out, err
		}
	}
	if c.Data != nil {
		if out.Data, err = from.bytes(c.Data, "data"); err != nil {
			return out, err
		}
	}
	if c.Undo != nil {
		key, err := from.attachment(c.Undo, "undo")
		if err != nil {
			return out, err
		}
		if len(key) > maxKey {
			return out, fmt.Errorf("undo: the key has %d bytes, at most %d are taken", len(key), maxKey)
		}
		out.Undo = string(key)
	}
	inserted := 0
	for i, sp := range c.Splices {
		if len(sp) != 3 {
			return out, fmt.Errorf("splices[%d]: want [at, del, attachment]", i)
		}
		insert, err := from.bytes(&sp[2], "splices")
		if err != nil {
			return out, err
		}
		if inserted += len(insert); inserted > abi.MaxFrame {
			return out, fmt.Errorf("the splices insert over %d bytes", abi.MaxFrame)
		}
		out.Splices = append(out.Splices, text.Splice{At: sp[0], Del: sp[1], Insert: insert})
	}
	return out, nil
}

// contents are the attachments of a request, and copies of those that were used.
type contents struct {
	req    *abi.Frame
	copies map[int][]byte
}

func (c *contents) attachment(i *int, what string) ([]byte, error) {
	b, ok := c.req.Attachment(*i)
	if !ok {
		return nil, fmt.Errorf("%s: there is no attachment %d", what, *i)
	}
	return b, nil
}

func (c *contents) path(i *int, what string) (string, error) {
	b, err := c.attachment(i, what)
	return pathOf(b), err
}

// bytes returns a copy, the same for all who ask.
func (c *contents) bytes(i *int, what string) ([]byte, error) {
	b, err := c.attachment(i, what)
	if err != nil {
		return nil, err
	}
	if have, ok := c.copies[*i]; ok {
		return have, nil
	}
	b = append([]byte{}, b...)
	c.copies[*i] = b
	return b, nil
}

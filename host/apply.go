package host

import (
	"context"
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
	set, err := r.set(req)
	if err != nil {
		return invalid("apply: " + err.Error())
	}
	outcomes, err := changeset.Apply(ctx, s.jail, s.sess, set, &changeset.Options{NoSync: s.noSync, DryRun: s.call.DryRun})
	if err != nil {
		return nil, err
	}
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

// set builds the change set. Contents are copied: a request's bytes are the
// guest's memory, and what is written must not change under the writer.
func (r *applyRequest) set(req *abi.Frame) (*changeset.Set, error) {
	set := &changeset.Set{}
	for i := range r.Changes {
		c, err := r.Changes[i].change(req)
		if err != nil {
			return nil, fmt.Errorf("changes[%d]: %w", i, err)
		}
		set.Changes = append(set.Changes, c)
	}
	for i, st := range r.State {
		data, err := attachment(req, &st.Data, "data")
		if err != nil {
			return nil, fmt.Errorf("state[%d]: %w", i, err)
		}
		set.State = append(set.State, changeset.StatePut{Name: st.Name, Data: append([]byte{}, data...)})
	}
	return set, nil
}

func (c *changeRequest) change(req *abi.Frame) (changeset.Change, error) {
	out := changeset.Change{Op: changeset.Op(c.Op), Expect: c.Expect, Max: c.Max, UndoNew: c.UndoNew}
	path, err := attachment(req, &c.Path, "path")
	if err != nil {
		return out, err
	}
	out.Path = string(path)
	if c.To != nil {
		to, err := attachment(req, c.To, "to")
		if err != nil {
			return out, err
		}
		out.To = string(to)
	}
	if c.Data != nil {
		data, err := attachment(req, c.Data, "data")
		if err != nil {
			return out, err
		}
		out.Data = append([]byte{}, data...)
	}
	if c.Undo != nil {
		key, err := attachment(req, c.Undo, "undo")
		if err != nil {
			return out, err
		}
		out.Undo = string(key)
	}
	for i, sp := range c.Splices {
		if len(sp) != 3 {
			return out, fmt.Errorf("splices[%d]: want [at, del, attachment]", i)
		}
		insert, err := attachment(req, &sp[2], "splices")
		if err != nil {
			return out, err
		}
		out.Splices = append(out.Splices, text.Splice{At: sp[0], Del: sp[1], Insert: append([]byte{}, insert...)})
	}
	return out, nil
}

func attachment(req *abi.Frame, i *int, what string) ([]byte, error) {
	b, ok := req.Attachment(*i)
	if !ok {
		return nil, fmt.Errorf("%s: there is no attachment %d", what, *i)
	}
	return b, nil
}

package changeset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/host/text"
)

// plan reads what the change is about, compares it with what the caller
// expects, and works out what shall be there. It writes nothing.
func (t *transaction) plan(ctx context.Context, w *work) error {
	w.out.Path = w.target.Path
	switch w.Op {
	case Put:
		return w.planPut(ctx)
	case Edit:
		return w.planEdit(ctx)
	case Undo:
		return t.planUndo(ctx, w)
	case Delete:
		return t.planDelete(ctx, w)
	case Move:
		return t.planMove(ctx, w)
	default:
		return w.planMkdir()
	}
}

func (w *work) planPut(ctx context.Context) error {
	if size := int64(len(w.Data)); w.Max > 0 && size > w.Max {
		return &TooLargeError{Size: size}
	}
	if err := w.read(ctx, abi.MaxFrame); err != nil {
		return err
	}
	if err := w.fits(); err != nil {
		return err
	}
	w.result(w.Data)
	return w.texts(ctx)
}

func (w *work) planEdit(ctx context.Context) error {
	limit := int64(abi.MaxFrame)
	if w.Max > 0 {
		limit = w.Max
	}
	if err := w.read(ctx, limit); err != nil {
		return err
	}
	if err := w.fits(); err != nil {
		return err
	}
	if w.info == nil {
		return osError("open", w.Path, syscall.ENOENT)
	}
	doc, err := text.DecodeContext(ctx, w.out.Before)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w: edit of what is no text: %w", ErrInvalid, err)
	}
	edited, err := doc.EditContext(ctx, w.Splices)
	switch {
	case errors.Is(err, text.ErrEncodingUnknown):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if size := int64(len(edited.Raw)); w.Max > 0 && size > w.Max {
		return &TooLargeError{Size: size}
	}
	w.out.OldText, w.out.NewText = notNil(doc.Text), notNil(edited.Text)
	w.out.ConvertedFrom = edited.ConvertedFrom
	w.result(edited.Raw)
	return nil
}

func (t *transaction) planUndo(ctx context.Context, w *work) error {
	if err := w.read(ctx, abi.MaxFrame); err != nil {
		return err
	}
	if err := w.fits(); err != nil {
		return err
	}
	if t.session == nil {
		return ErrNoUndo
	}
	if err := t.begin(ctx); err != nil {
		return err
	}
	if !t.opts.DryRun {
		if err := t.tx.Settle(w.Undo, w.state); err != nil {
			return osError("read the undo history of", w.Path, err)
		}
	}
	e, at, err := t.tx.Newest(w.Undo, w.state)
	switch {
	case err != nil:
		return osError("read the undo history of", w.Path, err)
	case e == nil:
		return ErrNoUndo
	case e.After != w.state:
		return ErrUndoChanged
	case w.Max > 0 && int64(len(e.Before)) > w.Max:
		return &TooLargeError{Size: int64(len(e.Before))}
	}
	w.pop = at
	if e.BeforeDigest == abi.Absent {
		w.remove = true
		return w.texts(ctx)
	}
	w.mode = fromBits(e.Mode)
	w.result(e.Before)
	return w.texts(ctx)
}

// result notes the new content, and the entry that undoes it.
func (w *work) result(after []byte) {
	after = notNil(after)
	w.out.After = after
	w.out.Size, w.out.Digest = int64(len(after)), digest(after)
	w.out.Created = w.info == nil
	if w.Op == Undo || w.Undo == "" {
		return
	}
	w.entry = w.newEntry(w.out.Before, w.state)
	w.entry.After = w.out.Digest
	if w.UndoNew {
		w.entry.Before, w.entry.BeforeDigest = after, w.out.Digest
	}
}

func (w *work) newEntry(before []byte, state string) *session.Entry {
	e := &session.Entry{
		Key: w.Undo, Path: w.out.Path, Before: before, BeforeDigest: state, After: abi.Absent, Time: time.Now(),
	}
	if w.info != nil {
		e.Mode = bits(w.info.Mode())
	}
	return e
}

func (t *transaction) planDelete(ctx context.Context, w *work) error {
	w.remove = true
	if err := w.readName(ctx, t); err != nil {
		return err
	}
	if w.info == nil {
		return osError("remove", w.Path, syscall.ENOENT)
	}
	if w.Undo != "" && w.file != nil && w.out.Before != nil {
		w.entry = w.newEntry(w.out.Before, w.state)
	}
	return w.texts(ctx)
}

func (t *transaction) planMove(ctx context.Context, w *work) error {
	if err := w.readName(ctx, t); err != nil {
		return err
	}
	if w.info == nil {
		return osError("move", w.Path, syscall.ENOENT)
	}
	if _, err := w.to.Dir.Lstat(w.to.Name); err == nil {
		return osError("move", w.To, syscall.EEXIST)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return osError("move", w.To, err)
	}
	if w.info.Mode()&fs.ModeSymlink != 0 {
		if err := w.to.AllowLink(); err != nil {
			return osError("move", w.To, err)
		}
	}
	w.out.From, w.out.Path = w.target.Path, w.to.Path
	w.out.Created = true
	w.out.After = w.out.Before
	if w.file != nil {
		w.out.Size, w.out.Digest = w.info.Size(), w.state
	}
	text, err := textOf(ctx, w.out.Before)
	w.out.OldText, w.out.NewText = text, text
	return err
}

// readName learns what is behind the name itself, for the operations that do not
// follow a link. A file that is too large to be held is only digested.
func (w *work) readName(ctx context.Context, t *transaction) error {
	info, err := w.target.Dir.Lstat(w.target.Name)
	if errors.Is(err, fs.ErrNotExist) {
		w.state = abi.Absent
		return w.fits()
	}
	if err != nil {
		return osError("stat", w.Path, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		w.info = info
		return w.fitsLink(ctx, t)
	}
	err = w.read(ctx, abi.MaxFrame)
	var large *TooLargeError
	if errors.As(err, &large) {
		if w.state, err = digestOf(ctx, w.file); err != nil {
			err = osError("read", w.Path, err)
		}
	}
	if err != nil {
		return err
	}
	return w.fits()
}

// fitsLink compares what a link leads to with what the caller expects: that is
// what it has read.
func (w *work) fitsLink(ctx context.Context, t *transaction) error {
	if w.Expect == "" {
		return nil
	}
	if w.Expect == abi.Absent {
		return ErrChanged
	}
	f, err := t.jail.Open(w.Path)
	if err != nil {
		return osError("open", w.Path, err)
	}
	defer f.Close()
	sum, err := digestOf(ctx, f)
	if err != nil {
		return osError("read", w.Path, err)
	}
	if sum != w.Expect {
		return ErrChanged
	}
	return nil
}

func (w *work) planMkdir() error {
	if w.Expect != "" && w.Expect != abi.Absent {
		return ErrChanged
	}
	w.state = abi.Absent
	_, err := w.target.Dir.Lstat(w.target.Name)
	switch {
	case err == nil:
		return osError("mkdir", w.Path, syscall.EEXIST)
	case !errors.Is(err, fs.ErrNotExist):
		return osError("mkdir", w.Path, err)
	}
	w.out.Created = true
	return nil
}

// texts decodes what is there and what shall be.
func (w *work) texts(ctx context.Context) (err error) {
	if w.out.OldText, err = textOf(ctx, w.out.Before); err != nil {
		return err
	}
	w.out.NewText, err = textOf(ctx, w.out.After)
	return err
}

// textOf is the text of a file's bytes, nil where there is no file or no text. The
// error is ctx's.
func textOf(ctx context.Context, raw []byte) ([]byte, error) {
	if raw == nil {
		return nil, nil
	}
	doc, err := text.DecodeContext(ctx, raw)
	if err != nil {
		return nil, ctx.Err() // or it is no text
	}
	return notNil(doc.Text), nil
}

// notNil makes nothing at all an empty content: nil stands for no file.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

package changeset

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"

	"github.com/ohhost/ohhost/abi"
	"github.com/ohhost/ohhost/host/jail"
	"github.com/ohhost/ohhost/host/session"
)

// Recover settles what killed processes left in the session's journal: a set
// whose files hold the new contents is finished, any other is taken back, and a
// half-written file gets its old content again. A file that somebody else has
// changed since is left as it is. What j does not allow to look at, and what would
// be written through a hard link that appeared meanwhile, stays in the journal for
// another call.
//
// Apply begins with it; where no set was journalled since the last time, it costs
// the reading of a counter. Undo
// entries are not its business: each is settled when its key is used.
func Recover(ctx context.Context, j *jail.Jail, s *session.Session, opts *Options) error {
	if opts == nil {
		opts = &Options{}
	}
	if s.Settled() {
		return nil
	}
	records, err := records(ctx, s)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := recoverRecord(ctx, j, s, r, opts); err != nil {
			return err
		}
	}
	return nil
}

// records takes a look. Who works on a set holds the session's lock until its
// record is gone, so that all we see are left over.
func records(ctx context.Context, s *session.Session) ([]*session.Record, error) {
	tx, err := s.Begin(ctx)
	if err != nil {
		return nil, err
	}
	rs, err := tx.Records()
	return rs, errors.Join(err, tx.End())
}

// recoverRecord settles one record, under the locks in Apply's order.
func recoverRecord(ctx context.Context, j *jail.Jail, s *session.Session, seen *session.Record, opts *Options) (err error) {
	targets := make([]*jail.Target, len(seen.Files))
	defer func() {
		for _, t := range targets {
			if t != nil {
				t.Close()
			}
		}
	}()
	var dirs []*jail.Dir
	for i, f := range seen.Files {
		t, err := j.Target(f.Path, false)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its directory is gone, and so is the file
		}
		if err != nil {
			return nil
		}
		targets[i] = t
		dirs = append(dirs, t.Dir)
	}
	unlock, err := lockAll(ctx, dirs)
	if err != nil {
		return err
	}
	defer unlockEach(unlock)
	tx, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.End()) }()
	records, err := tx.Records()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(records, func(r *session.Record) bool { return r.ID() == seen.ID() })
	if i < 0 {
		return nil // another process was faster
	}
	r := records[i]
	happened := true
	for i, f := range r.Files {
		ok, err := settleFile(ctx, targets[i], &f, opts)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil
		}
		happened = happened && ok
	}
	if happened {
		return r.Commit()
	}
	return r.Drop()
}

// settleFile says whether the file holds what the set wanted, and gives a
// half-written one its old content back.
func settleFile(ctx context.Context, t *jail.Target, f *session.RecordFile, opts *Options) (bool, error) {
	if t == nil {
		return f.After == abi.Absent, nil
	}
	info, err := t.Dir.Lstat(t.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.After == abi.Absent, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return f.After == session.Directory, nil
	case !info.Mode().IsRegular():
		return f.After == session.Link, nil
	}
	file, info, err := openRegular(t.Dir, t.Name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if !f.InPlace {
		sum, err := digestOf(ctx, file)
		return sum == f.After, err
	}
	now, sum, err := readAll(ctx, file, info.Size(), math.MaxInt64)
	if err != nil {
		return false, err
	}
	switch {
	case sum == f.After:
		return true, nil
	case sum == f.Before, !torn(now, f.Old, f.New):
		return false, nil
	}
	w, err := openSole(t.Dir, t.Name, info)
	if err != nil {
		return false, err
	}
	err = overwrite(w, int64(len(now)), f.Old, opts.NoSync)
	return false, errors.Join(err, w.Close())
}

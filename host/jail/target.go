//go:build linux || darwin

package jail

import (
	"os"
	"path"
	"syscall"

	"github.com/ohhost/ohhost/abi"
)

// A Target is where a write goes that the grant allows.
type Target struct {
	Dir  *Dir   // the directory of the entry, open
	Name string // the entry in it
	Path string // the resolved path of the entry

	asked string // the path as the caller wrote it
}

// Close frees Dir.
func (t *Target) Close() error { return t.Dir.Close() }

// AllowLink decides whether the entry may be a symbolic link, for who wants to
// move one there: a *DeniedError where protected paths would lie below it, as
// below "~/.config". It looks at nothing but the path; Dir.Rename refuses the
// same.
func (t *Target) AllowLink() error {
	if ref := t.Dir.table.protectsFromLink(t.Path); ref != nil {
		return &DeniedError{Path: t.asked, Why: ref.why, Ask: ref.ask}
	}
	return nil
}

// Target decides a write to p: that the entry is made, replaced, moved or
// removed. Links on the way are followed inside the grants; the last one, too,
// when follow is set, and then a link whose target is missing stands for the
// name it leads to. The decision is on the path that this resolves to, whether
// something is there or not, and on the path as it is spelled at each link that
// is followed: what is protected stays so where a link leads elsewhere. The
// directory must exist, and be readable (EACCES): a lock needs it open. With follow, what is neither a regular
// file nor a directory is ErrNotRegular.
//
// As in the kernel, "name/" is a directory: ENOTDIR for a file, EISDIR for a
// name that is missing.
func (j *Jail) Target(p string, follow bool) (*Target, error) {
	var target *Target
	err := j.do("write", p, func(t *table) (err error) {
		target, err = t.aim(p, follow)
		return err
	})
	if err != nil {
		return nil, err
	}
	target.asked = p
	return target, nil
}

// aim resolves and decides a write.
func (t *table) aim(p string, follow bool) (*Target, error) {
	target, err := t.aimDirect(p, follow)
	if target != nil || err != nil {
		return target, err
	}
	w := &walk{t: t, write: true, follow: follow}
	s, err := w.run(p)
	if err != nil {
		return nil, err
	}
	defer func() { s.close() }()
	if ref := t.write(s.path); ref != nil {
		return nil, ref
	}
	if s.name == "." {
		// The walk ended in the directory itself; its entry is one up.
		up, err := (&walk{t: t, write: true}).run(s.path)
		if err != nil {
			return nil, err
		}
		if up.info.typ != abi.TypeDir || up.path != s.path || up.name == "." {
			up.close()
			return nil, errMoved
		}
		s.close()
		s = up
	}
	if s.info.typ == abi.TypeOther && follow {
		return nil, ErrNotRegular
	}
	f, i, err := s.place.open(".", path.Dir(s.path))
	if err != nil {
		return nil, err
	}
	return t.hit(s.root, f, i, s.path)
}

// aimDirect is aim for a path without links; nil where it cannot tell.
func (t *table) aimDirect(p string, follow bool) (*Target, error) {
	r, rel := t.direct(p)
	if r == nil || t.write(p) != nil {
		return nil, nil
	}
	f, i, err := r.dir.(fast).enter(path.Dir(rel), path.Dir(p))
	if err != nil {
		return nil, nil
	}
	o := object{f, i, path.Dir(p)}
	entry, err := o.describe(path.Base(p))
	if err == syscall.ENOENT {
		err = nil
	}
	switch {
	case err != nil:
	case follow && entry.typ == abi.TypeLink:
	case r.single && entry.typ == abi.TypeDir:
		err = refuseOutside("rw", p)
	case follow && entry.typ == abi.TypeOther:
		err = ErrNotRegular
	default:
		return t.hit(r, f, i, p)
	}
	f.Close()
	return nil, err
}

// hit makes the target p in its open directory.
func (t *table) hit(r *root, f *os.File, i info, p string) (*Target, error) {
	dir, name := path.Split(p)
	dir = path.Clean(dir)
	err := confirm(r, f, dir, func(now string) bool { return t.write(join(now, name)) == nil })
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Target{Dir: &Dir{file: f, path: dir, dev: i.dev, table: t}, Name: name, Path: p}, nil
}

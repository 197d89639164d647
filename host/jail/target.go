//go:build linux || darwin

package jail

import (
	"os"
	"path"
	"syscall"

	"github.com/ohhost/ohhost/abi"
)

// Target decides a write to p: that the entry is made, replaced, moved or
// removed. Links on the way are followed inside the grants; the last one, too,
// when follow is set, and then a link whose target is missing stands for the
// name it leads to. The decision is on the path that this resolves to, whether
// something is there or not; the directory must exist. With follow, what is
// neither a regular file nor a directory is ErrNotRegular.
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
	return target, nil
}

// aim resolves and decides a write.
func (t *table) aim(p string, follow bool) (*Target, error) {
	target, err := t.aimDirect(p, follow)
	if target != nil || err != nil {
		return target, err
	}
	w := &walk{t: t, kind: "rw", follow: follow, absent: true}
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
		up, err := (&walk{t: t, kind: "rw", absent: true}).run(s.path)
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
	f, i, err := r.dir.(fast).reach(path.Dir(rel), path.Dir(p))
	if err != nil {
		return nil, nil
	}
	if i.typ != abi.TypeDir {
		f.Close()
		return nil, syscall.ENOTDIR
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

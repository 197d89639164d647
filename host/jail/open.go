//go:build linux || darwin

package jail

import (
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/ohhost/ohhost/abi"
)

// An object is an open file or directory and where it was found.
type object struct {
	file *os.File
	info info
	path string // resolved
}

// Open opens a regular file or a directory for reading, O_NONBLOCK and
// O_CLOEXEC. Links are followed inside the grants. The caller closes the file;
// of a directory it uses List, as os.File's own methods look entries up by path.
//
// Errors are a *DeniedError, or an *fs.PathError with an errno or ErrNotRegular;
// that is so for all methods of a Jail. EINVAL means that the path is not
// absolute or holds a NUL; EAGAIN that it kept changing while it was resolved.
func (j *Jail) Open(p string) (*os.File, error) {
	var o object
	err := j.do("open", p, func(t *table) (err error) {
		o, err = t.open(p)
		return err
	})
	if err != nil {
		return nil, err
	}
	return o.file, nil
}

// open opens p to be read. The error is one for Jail.do.
func (t *table) open(p string) (object, error) {
	if r, rel := t.direct(p); r != nil {
		f, i, err := r.dir.(fast).reach(rel, p)
		if err == nil {
			return t.settle(r, object{f, i, p})
		}
		// The walk finds out why: a link, or what may not even be known to be
		// missing.
	}
	s, err := (&walk{t: t, follow: true}).run(p)
	if err != nil {
		return object{}, err
	}
	defer s.close()
	f, i, err := s.place.open(s.name, s.path)
	if err != nil {
		return object{}, err
	}
	return t.settle(s.root, object{f, i, s.path})
}

// direct returns the root that grants p, and p relative to what it holds open,
// when p can be opened in one step if no link is in the way: it is spelled as
// resolved paths are, and granted as it is spelled.
func (t *table) direct(p string) (*root, string) {
	if path.Clean(p) != p {
		return nil, ""
	}
	r, ref := t.read(p, false)
	if ref != nil {
		return nil, ""
	}
	if _, ok := r.dir.(fast); !ok {
		return nil, ""
	}
	return r, r.relative(p)
}

// settle decides on an object that has been opened, now that its type is known
// and that it cannot be exchanged any more. It closes what it refuses.
func (t *table) settle(r *root, o object) (object, error) {
	dir := o.info.typ == abi.TypeDir
	var err error
	if dir {
		err = t.settleDir(r, o.path)
	}
	if err == nil {
		err = confirm(r, o.file, o.path, func(p string) bool {
			_, ref := t.read(p, dir)
			return ref == nil
		})
	}
	if err != nil {
		o.file.Close()
		return object{}, err
	}
	return o, nil
}

// settleDir decides on p below r, which was found to be a directory.
func (t *table) settleDir(r *root, p string) error {
	if r.single {
		return refuseOutside("ro", p) // a file was granted, not what is in its place
	}
	if _, ref := t.read(p, true); ref != nil {
		return ref
	}
	return nil
}

// confirm asks the kernel which path an object has that was opened as p below
// r, and fails with errMoved if that is not a path which allowed accepts: a
// directory on the way was moved during the walk, or the file system found the
// object under another name than its own. Where the kernel does not say, the
// walk alone has to do.
func confirm(r *root, f *os.File, p string, allowed func(p string) bool) error {
	now, ok := currentPath(f)
	if !ok || now == p || r.file == nil {
		return nil
	}
	// The root itself may have another name by now; it is granted as what it is.
	base, ok := currentPath(r.file)
	if !ok {
		return nil
	}
	if !within(now, base) {
		return errMoved
	}
	at := path.Join(r.base(), now[len(strings.TrimSuffix(base, "/")):])
	// The kernel appends this to the last path of what was removed meanwhile,
	// and somebody may have called a file so.
	was := strings.TrimSuffix(at, " (deleted)")
	if at == p || was == p || allowed(at) && allowed(was) {
		return nil
	}
	return errMoved
}

// Stat describes what a path names, or what the link that it names leads to. Its
// Name is the last name of the path as written.
func (j *Jail) Stat(p string, follow bool) (abi.Entry, error) {
	i, err := j.stat(p, follow)
	if err != nil {
		return abi.Entry{}, err
	}
	e := i.entry(path.Base(path.Clean(p)))
	if e.Type == abi.TypeLink {
		e.Target = abi.TypeNone
	}
	return e, nil
}

func (j *Jail) stat(p string, follow bool) (i info, err error) {
	err = j.do("stat", p, func(t *table) error {
		s, err := t.find(p, follow)
		i = s.info
		return err
	})
	return i, err
}

// find walks to what exists under p. The spot has no place any more.
func (t *table) find(p string, follow bool) (spot, error) {
	if r, rel := t.direct(p); r != nil {
		i, err := r.dir.(fast).look(rel)
		if err == nil && i.typ != abi.TypeLink && i.typ != abi.TypeDir {
			return spot{path: p, info: i}, nil
		}
		if err == nil && i.typ == abi.TypeDir {
			return spot{path: p, info: i}, t.settleDir(r, p)
		}
	}
	s, err := (&walk{t: t, follow: follow}).run(p)
	if err != nil {
		return spot{}, err
	}
	s.close()
	s.place = nil
	return *s, nil
}

// RealPath returns the path of what p names without links, "." and "..".
func (j *Jail) RealPath(p string) (string, error) {
	var real string
	err := j.do("realpath", p, func(t *table) error {
		s, err := t.find(p, true)
		real = s.path
		return err
	})
	if err != nil {
		return "", err
	}
	return real, nil
}

// Readlink returns the text of a link; EINVAL for anything else.
func (j *Jail) Readlink(p string) (string, error) {
	var text string
	err := j.do("readlink", p, func(t *table) error {
		s, err := (&walk{t: t}).run(p)
		if err != nil {
			return err
		}
		defer s.close()
		if s.info.typ != abi.TypeLink {
			return syscall.EINVAL
		}
		text = s.link
		return nil
	})
	return text, err
}

package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ohhost/ohhost/host/session"
	"github.com/ohhost/ohhost/tool"
)

// A sharedSession is an open session and the number of bound tools that use it.
type sharedSession struct {
	*session.Session
	name string
	uses int
}

// session returns the grant's session, which all tools bound in it share; the
// caller releases it. It is nil, with a warning, where state cannot be kept: there
// is no home, or it cannot be written. A directory that somebody else could have
// prepared is an error.
func (h *Host) session(g *tool.Grant) (*sharedSession, error) {
	name := g.Session
	if name == "" {
		resolved, err := filepath.EvalSymlinks(g.Workspace)
		if err != nil {
			resolved = g.Workspace
		}
		name = tool.SessionName(resolved)
	} else if err := tool.CheckSessionName(name); err != nil {
		return nil, err
	}
	if h.dirs.state == "" {
		h.stateless(errors.New("the user has no home directory"))
		return nil, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.sessions[name]; ok {
		s.uses++
		return s, nil
	}
	opened, err := h.openSession(name)
	if err != nil {
		if !unwritable(err) {
			return nil, err
		}
		h.stateless(err)
		return nil, nil
	}
	s := &sharedSession{Session: opened, name: name, uses: 1}
	h.sessions[name] = s
	return s, nil
}

// openSession opens a session below the state directory, which must be as private
// as the session: whoever can rename a session's directory can put another there.
func (h *Host) openSession(name string) (*session.Session, error) {
	all := filepath.Join(h.dirs.state, "sessions")
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, err
	}
	for _, dir := range []string{h.dirs.state, all} {
		if err := checkPrivate(dir); err != nil {
			return nil, err
		}
	}
	return session.Open(filepath.Join(all, name), &session.Options{NoSync: h.opts.NoSync, Logger: h.log})
}

// stateless warns, once for a host.
func (h *Host) stateless(why error) {
	h.warnState.Do(func() { h.log.Warn("running without state: undo_edit will find nothing", "reason", why) })
}

// unwritable reports whether an error means that nothing can be kept there, and
// not that something is wrong with what is there.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// release gives a session back, which is closed with its last use; nil is none.
func (h *Host) release(s *sharedSession) error {
	if s == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.uses--; s.uses > 0 {
		return nil
	}
	delete(h.sessions, s.name)
	return s.Close()
}

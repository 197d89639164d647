package session

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// ErrQuota means that the blobs would pass MaxState together. Nothing was
// written.
var ErrQuota = errors.New("the session's state is full (16 MiB): delete what is no longer needed")

// ErrName means that a blob cannot be called that.
var ErrName = errors.New("want a name of 1 to 128 of the characters A-Z a-z 0-9 . _ -")

const (
	blobExt = ".blob"
	nextExt = ".next"
)

var (
	blobName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
	// A name's file: lower case only, so that "A" and "a" differ on every file
	// system, and nothing like "..".
	blobEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)
)

// CheckName returns an error that wraps ErrName when name is no blob's name
// (abi, "Services").
func CheckName(name string) error {
	if !blobName.MatchString(name) {
		return fmt.Errorf("state %.140q: %w", name, ErrName)
	}
	return nil
}

func blobFile(name, ext string) string { return blobEncoding.EncodeToString([]byte(name)) + ext }

// blobOf is the inverse of blobFile.
func blobOf(file, ext string) (string, bool) {
	enc, ok := strings.CutSuffix(file, ext)
	if !ok {
		return "", false
	}
	name, err := blobEncoding.DecodeString(enc)
	if err != nil || !blobName.Match(name) || blobFile(string(name), ext) != file {
		return "", false
	}
	return string(name), true
}

// stateError names the blob in an error of the file system, not its file.
func stateError(name string, err error) error {
	var (
		pe *fs.PathError
		le *os.LinkError
	)
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return &fs.PathError{Op: "state", Path: name, Err: err}
}

func charge(size int64) int64 { return max(size, minCharge) }

// Get returns the named blob, or false where there is none.
func (s *Session) Get(ctx context.Context, name string) ([]byte, bool, error) {
	if err := CheckName(name); err != nil {
		return nil, false, err
	}
	if err := s.lock.acquire(ctx); err != nil {
		return nil, false, err
	}
	defer s.lock.release()
	data, err := s.state.read(blobFile(name, blobExt), s.maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, stateError(name, err)
	}
	return data, true, nil
}

// Put makes or replaces the named blob. Errors: ErrName, ErrQuota, or one of the
// file system.
func (s *Session) Put(ctx context.Context, name string, data []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := s.lock.acquire(ctx); err != nil {
		return err
	}
	defer s.lock.release()
	if err := s.checkQuota(map[string]int64{name: int64(len(data))}); err != nil {
		return err
	}
	if err := s.state.write(blobFile(name, blobExt), data); err != nil {
		return stateError(name, err)
	}
	// What a killed set has staged for this name is older than this.
	return s.state.remove(blobFile(name, nextExt))
}

// Delete removes the named blob; one that is missing is no error.
func (s *Session) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := s.lock.acquire(ctx); err != nil {
		return err
	}
	defer s.lock.release()
	if err := s.state.remove(blobFile(name, nextExt)); err != nil {
		return stateError(name, err)
	}
	if err := s.state.remove(blobFile(name, blobExt)); err != nil {
		return stateError(name, err)
	}
	return s.state.sync()
}

// List returns the names of all blobs, sorted.
func (s *Session) List(ctx context.Context) ([]string, error) {
	if err := s.lock.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.lock.release()
	files, err := s.state.names()
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, f := range files {
		if n, ok := blobOf(f, blobExt); ok {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names, nil
}

// checkQuota returns ErrQuota when the blobs would be too much with sizes in
// place of those of the same names.
func (s *Session) checkQuota(sizes map[string]int64) error {
	files, err := s.state.names()
	if err != nil {
		return err
	}
	var total int64
	for _, n := range sizes {
		total += charge(n)
	}
	for _, f := range files {
		if f == tempName { // of a killed process
			if err := s.state.remove(f); err != nil {
				return err
			}
		}
		n, ok := blobOf(f, blobExt)
		if _, replaced := sizes[n]; !ok || replaced {
			continue
		}
		info, err := s.state.root.Lstat(f)
		if err != nil {
			return err
		}
		total += charge(info.Size())
	}
	if total > s.maxState {
		return ErrQuota
	}
	return nil
}

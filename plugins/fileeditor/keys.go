package main

import (
	"errors"
	"strings"

	"github.com/ohhost/ohhost/guest"
)

// keys names the file that a call works on, view included, by its path without
// links. For a file that is not there yet that is the resolved path of what is,
// with the rest after it; for one that is denied, the path as it was given.
func keys(c *guest.Call) ([]string, error) {
	e := newEditor(c)
	if !e.onHost() || strings.IndexByte(e.path, 0) >= 0 {
		return []string{"file:" + e.path}, nil
	}
	head, tail := e.path, ""
	for {
		real, err := e.files.RealPath(head)
		if err == nil {
			return []string{"file:" + strings.TrimSuffix(real, "/") + tail}, nil
		}
		if _, ok := errors.AsType[*guest.FileError](err); !ok || strings.Trim(head, "/") == "" {
			return []string{"file:" + e.path}, nil
		}
		i := strings.LastIndexByte(head, '/')
		head, tail = head[:i], head[i:]+tail
		if strings.Trim(head, "/") == "" {
			head = "/"
		}
	}
}

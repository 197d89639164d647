package tool

import "io"

// A Wrapper is a Tool that Middleware made around another.
type Wrapper interface {
	Tool
	// Unwrap returns the tool inside.
	Unwrap() Tool
}

// Release frees what a bound tool holds (open directories, for one) without
// closing its source: it closes the innermost tool that is an io.Closer. Tools
// that are not released are freed with their source. A released tool must not
// be called.
func Release(t Tool) error {
	for {
		if c, ok := t.(io.Closer); ok {
			return c.Close()
		}
		w, ok := t.(Wrapper)
		if !ok {
			return nil
		}
		t = w.Unwrap()
	}
}

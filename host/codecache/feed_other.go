//go:build !linux

package codecache

func (s *Scratch) feed(rel string, source Source) (end func() error, err error) {
	b, free, err := source()
	if err != nil {
		return nil, err
	}
	defer free()
	return func() error { return nil }, s.Write(rel, b)
}

package selftest

import "os"

// privateDir says whether a directory exists. Who may use it is in access lists
// that are not looked at.
func privateDir(dir string) (exists bool, err error) {
	at, exists := nearest(dir)
	_, err = os.Stat(at)
	return exists, err
}

func userFact() Fact {
	return Fact{"user", true, "what others may do is in access lists, which are not looked at"}
}

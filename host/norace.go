//go:build !race

package host

// Interpreted says that this binary runs guests on wazero's interpreter, because
// it was built with -race: compiling takes 15 s a module there.
const Interpreted = false

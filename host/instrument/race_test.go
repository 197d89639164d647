//go:build race

package instrument_test

// raced says that the test was built with -race, under which wazero compiles a
// hundred times slower: tests then run less, and on the interpreter.
const raced = true

//go:build !race

package instrument_test

const raced = false

// Package e2e tests the built binary where more than one process or its memory
// is what matters; what a script can express is in testdata/script.
package e2e

// Package bench measures ohhost against what people would use instead. Each
// benchmark runs its variants in turn within one run and reports medians and
// ratios, because a machine's speed drifts:
//
//	go test -run '^$' -bench . -benchtime 200x ./internal/bench
//
// Results are in docs/benchmarks.md. Nothing here is a test of speed.
package bench

package bench

import (
	"slices"
	"testing"
	"time"
)

// A variant is one way to do the same thing; prepare, which is not timed, comes
// before each run.
type variant struct {
	name    string
	prepare func()
	run     func() error
}

// sideBySide runs the variants in turn, b.N times, and reports the median of
// each in microseconds and its ratio to the first.
func sideBySide(b *testing.B, variants ...variant) {
	took := make([][]time.Duration, len(variants))
	for _, v := range variants { // not counted: caches fill
		if v.prepare != nil {
			v.prepare()
		}
		if err := v.run(); err != nil {
			b.Fatalf("%s: %v", v.name, err)
		}
	}
	for b.Loop() {
		for i, v := range variants {
			if v.prepare != nil {
				v.prepare()
			}
			began := time.Now()
			if err := v.run(); err != nil {
				b.Fatalf("%s: %v", v.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	b.ReportMetric(0, "ns/op") // of all variants together: says nothing
	base := median(took[0])
	for i, v := range variants {
		m := median(took[i])
		b.ReportMetric(float64(m.Nanoseconds())/1e3, v.name+"-µs")
		if i > 0 {
			b.ReportMetric(float64(m)/float64(base), v.name+"/"+variants[0].name)
		}
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

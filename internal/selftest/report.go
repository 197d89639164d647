package selftest

// An Outcome is how an attack ended.
type Outcome string

// The outcomes. Only Through is a failure.
const (
	Stopped  Outcome = "stopped"
	Through  Outcome = "through"
	NotTried Outcome = "not_tried"
)

// A Result is what became of one vector.
type Result struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Outcome Outcome `json:"outcome"`
	// Wall is what stopped the attack, in a few words; empty otherwise.
	Wall string `json:"wall"`
	// Detail is what was seen, the evidence of what got through, or why it was
	// not tried.
	Detail string `json:"detail"`
	TookMS int64  `json:"took_ms"`
}

// A Report is the outcome of all vectors on one machine.
type Report struct {
	Machine *Machine
	Results []Result
	Later   []Later // empty where only some vectors were asked for
}

// OK reports whether nothing got through.
func (r *Report) OK() bool { return r.Count(Through) == 0 }

// Count is how many vectors had that outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == o {
			n++
		}
	}
	return n
}

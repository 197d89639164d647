package text

import "sort"

// A match says that line a of one text is line b of the other.
type match struct{ a, b int }

// maxPairs bounds the pairs of equal lines that are looked at, and so time and
// memory.
const maxPairs = 1 << 20

// commonLines returns a longest common subsequence of the lines of a and b:
// which lines both have, in order. (Hunt and Szymanski: the longest ascending
// chain of pairs of equal lines. It asks nothing of lines that only one side
// has, which in an edit are most, where a diff of the kind of Myers's would
// have to give up on long texts.) Lines that make too many pairs are not looked
// at, the most frequent ones first.
func commonLines(w watch, a, b [][]byte) []match {
	places := placesOf(b)
	limit := pairLimit(a, places)

	// chains[k] is the last pair of the chain of k+1 pairs that ends first in b;
	// nodes hold each chain's pairs before it.
	type node struct {
		match
		before int
	}
	var nodes []node
	var chains []int
	for i, line := range a {
		if i%pieceSize == 0 {
			w.check()
		}
		at := places[string(line)]
		if len(at) > limit {
			continue
		}
		// From the last place to the first, so that no chain takes two.
		for k := len(at) - 1; k >= 0; k-- {
			j := at[k]
			n := sort.Search(len(chains), func(c int) bool { return nodes[chains[c]].b >= j })
			if n < len(chains) && nodes[chains[n]].b == j {
				continue
			}
			before := -1
			if n > 0 {
				before = chains[n-1]
			}
			nodes = append(nodes, node{match{i, j}, before})
			if n == len(chains) {
				chains = append(chains, 0)
			}
			chains[n] = len(nodes) - 1
		}
	}
	matches := make([]match, len(chains))
	if len(chains) > 0 {
		n := chains[len(chains)-1]
		for k := len(matches) - 1; k >= 0; k-- {
			matches[k] = nodes[n].match
			n = nodes[n].before
		}
	}
	return matches
}

// placesOf says where in lines each line stands. An empty piece, which ends a
// text that ends in "\n", is no line.
func placesOf(lines [][]byte) map[string][]int {
	places := make(map[string][]int)
	for i, line := range lines {
		if len(line) > 0 {
			places[string(line)] = append(places[string(line)], i)
		}
	}
	return places
}

// pairLimit is how often a line may stand in the other text for at most maxPairs
// pairs in all.
func pairLimit(a [][]byte, places map[string][]int) int {
	limit := len(a) + 1
	for _, at := range places {
		limit = max(limit, len(at))
	}
	for ; limit > 0; limit /= 2 {
		pairs := 0
		for _, line := range a {
			if n := len(places[string(line)]); n <= limit {
				pairs += n
			}
		}
		if pairs <= maxPairs {
			break
		}
	}
	return limit
}

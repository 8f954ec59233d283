package monitor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A SeenShare is the share of changes that were seen in time, with its interval by site.
type SeenShare struct {
	Seen  int        `json:"seen"`
	Of    int        `json:"of"`
	Share float64    `json:"share"`
	CI95  [2]float64 `json:"ci95"`
}

// replayDraws is how many draws of the sites an interval comes from.
const replayDraws = 1000

// SeenShareOf counts the changes that were seen in time, of those that count, which are
// given by the numbers of a page and of its change. sites are those of the pages.
func SeenShareOf(r Replayed, sites []string, within time.Duration, counts func(page, change int) bool) (s SeenShare) {
	type tally struct{ seen, of int }
	bySite := map[string]int{}
	var tallies []tally
	for i, page := range r.Pages {
		n, ok := bySite[sites[i]]
		if !ok {
			n = len(tallies)
			bySite[sites[i]] = n
			tallies = append(tallies, tally{})
		}
		for j, delay := range page.Delays {
			if !counts(i, j) {
				continue
			}
			tallies[n].of++
			if delay != NeverSeen && delay <= within {
				tallies[n].seen++
			}
		}
	}
	ratio := func(seen, of int) float64 { return float64(seen) / float64(max(of, 1)) }
	for _, t := range tallies {
		s.Seen, s.Of = s.Seen+t.seen, s.Of+t.of
	}
	s.Share = ratio(s.Seen, s.Of)
	random := rand.New(rand.NewPCG(1, 1))
	draws := make([]float64, replayDraws)
	for d := range draws {
		var seen, of int
		for range tallies {
			t := tallies[random.IntN(len(tallies))]
			seen, of = seen+t.seen, of+t.of
		}
		draws[d] = ratio(seen, of)
	}
	slices.Sort(draws)
	s.CI95 = [2]float64{draws[replayDraws*25/1000], draws[replayDraws*975/1000-1]}
	return s
}

// String writes a share with its interval.
func (s SeenShare) String() string {
	return fmt.Sprintf("%.3f [%.3f, %.3f] of %d", s.Share, s.CI95[0], s.CI95[1], s.Of)
}

package features

import (
	"cmp"
	"math"
	"slices"
)

// A Reach is what trained models say of a page and of where its links lead.
type Reach struct {
	// Call is the probability that the page is a call for papers.
	Call float64
	// Types are the probabilities of its page types, by name.
	Types map[string]float64
	// Within and Away are the probabilities that its links lead to a call: of
	// those that stay within its site, and of those that leave it.
	Within, Away []float64
}

// pageTypes are the page types in the order of their features.
var pageTypes = [...]string{"cfp", "cfp_list", "conference", "homepage", "institution_topic", "mail_announcement", "weblog", "other"}

// linkSums are what is said of a group of links: the best score, the second, the
// mean of the best three, how many are above .5 and .2, the sum, the mean, and the
// number of links.
var linkSums = [...]string{"best", "second", "best_three", "likely", "possible", "sum", "mean", "links"}

// contextNames are the dense features of a Reach, in vector order.
var contextNames = nameContext()

func nameContext() []string {
	names := []string{"call"}
	for _, t := range pageTypes {
		names = append(names, "type_"+t)
	}
	for _, scope := range []string{"within", "away"} {
		for _, sum := range linkSums {
			names = append(names, scope+"_"+sum)
		}
	}
	return names
}

// WithReach returns d with the features of block Context, made of r.
func (d *Document) WithReach(r Reach) *Document {
	values := []float64{r.Call}
	for _, t := range pageTypes {
		values = append(values, r.Types[t])
	}
	values = append(values, sumsOf(r.Within)...)
	values = append(values, sumsOf(r.Away)...)
	with := *d
	with.dense[contextBlock] = sparse(values)
	return &with
}

// sumsOf returns the features of the scores of a group of links.
func sumsOf(scores []float64) []float64 {
	best := slices.Clone(scores)
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	at := func(i int) float64 {
		if i < len(best) {
			return best[i]
		}
		return 0
	}
	likely, possible, sum := 0, 0, 0.0
	for _, s := range best {
		sum += s
		if s > 0.5 {
			likely++
		}
		if s > 0.2 {
			possible++
		}
	}
	return []float64{
		at(0), at(1), (at(0) + at(1) + at(2)) / 3, scaled(likely, 50), scaled(possible, 50),
		math.Log1p(sum) / math.Log1p(50), sum / math.Max(1, float64(len(best))), scaled(len(best), 200),
	}
}

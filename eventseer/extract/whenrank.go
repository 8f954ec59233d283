package extract

// daysRanker gives the log odds of a candidate against "the page prints no days
// of the event".
var daysRanker = ranker[candidate]{features: eventFeatures, weights: eventWeights[:]}

// bestDays returns the candidate that weighs most, with its score: positive
// where it is likelier the event's days than that the page prints none.
func bestDays(xs []candidate) (candidate, float64) {
	var best candidate
	top := 0.0
	for _, x := range xs {
		if s := daysRanker.score(x); s > top {
			best, top = x, s
		}
	}
	return best, top
}

// daysConfidence is the share of days chosen that are right on pages of sites
// not learned from (TestLearnEventDays).
const daysConfidence = .94

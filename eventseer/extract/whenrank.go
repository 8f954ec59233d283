package extract

// daysRanker gives the log odds that a candidate are the event's days, compared with the page printing no
// days of the event.
var daysRanker = ranker[candidate]{features: eventFeatures, weights: eventWeights[:]}

// bestDays returns the candidate with the highest score and the score. It is positive if the candidate is
// more probable than that the page prints no days of the event.
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

// daysConfidence is the share of correct days on sites that were not used for training
// (TestLearnEventDays).
const daysConfidence = .94

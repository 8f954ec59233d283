package strategy

import (
	"maps"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/zeebo/xxh3"
)

// The page types of calls.
const (
	CallPage = "cfp"
	MailPage = part.MailPage
)

// An ExperimentalJudge changes the judgements of a judge, to measure how much a strategy depends on them. It is read-only and safe for concurrent use if Judge is.
type ExperimentalJudge struct {
	Judge Judge
	// Calls are the page types of the true calls by canonical URL. If it is not nil, the judge is perfect:
	// exactly these pages are calls, with probability 1, and all others have probability 0.
	Calls map[string]string
	// Noise is the probability from 0 to 1 that a page is judged the other way. A call is then judged as not
	// a call, with the complement of its probability, and vice versa. Seed and URL decide, so all strategies
	// see the same errors.
	Noise float64
	Seed  uint64
}

// JudgePage judges a page; see Judge.
func (j ExperimentalJudge) JudgePage(t *tagtree.Tree) classify.Judgement {
	said := j.Judge.JudgePage(t)
	call, chance, kind := said.IsCFP && said.PageType != part.ListPage, part.ClampUnit(said.CFPScore), said.PageType
	if j.Calls != nil {
		kind, call = j.Calls[t.Page.URL]
		chance = 0
		if call {
			chance = 1
		}
		said = judgedAs(said, call, chance, kind)
	}
	if j.misjudges(t.Page.URL) {
		if call = !call; call {
			kind = CallPage
		}
		said = judgedAs(said, call, 1-chance, kind)
	}
	return said
}

// misjudges reports whether the judge errs on a page.
func (j ExperimentalJudge) misjudges(url string) bool {
	return float64(xxh3.HashStringSeed(url, j.Seed)>>11)/(1<<53) < j.Noise
}

// judgedAs returns a judgement with another decision. The probabilities of page types are scaled so that they
// agree with it; a page that is not a call gets the likeliest of the other types.
func judgedAs(said classify.Judgement, call bool, chance float64, kind string) classify.Judgement {
	was, scores := said.PageType, maps.Clone(said.PageTypeScores)
	said.IsCFP, said.CFPScore, said.PageTypeScores = call, chance, scores
	if call {
		said.PageType = kind
		for name := range scores {
			scores[name] = 0
		}
		if scores != nil {
			scores[kind] = 1
		}
		return said
	}
	if was != CallPage && was != part.MailPage {
		return said
	}
	delete(scores, CallPage)
	delete(scores, part.MailPage)
	sum, best, most := 0.0, "other", math.Inf(-1)
	for _, name := range slices.Sorted(maps.Keys(scores)) { // sums of floating-point numbers depend on the order
		if sum += scores[name]; scores[name] > most {
			best, most = name, scores[name]
		}
	}
	if said.PageType = best; sum > 0 {
		for name := range scores {
			scores[name] /= sum
		}
	}
	return said
}

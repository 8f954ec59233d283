package eventseer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// A corrector is a logistic regression from the features of a link to the worth of its page. It
// learns online by stochastic gradient descent. The initial weights reproduce the rules, so it only
// learns their errors.
type corrector struct {
	Weights [numSignals]float64
	Top     float64 // mean score of the links followed lately, which were the best waiting ones
	Kinds   map[string]*part.Outcomes
	Words   []wordWeight `json:"-"` // by hash; each that was learned has its own note
}

// The features of a link for a corrector. The first are the kinds of pages, for links within a site and
// for other links.
const (
	isConstant = 2*numKinds + iota // after the kinds of pages, for links within a site and for other links
	hasCue
	hasCueAway   // the same for a link to another site
	hasListWords // the words of the link are those of a page with many events
	saysModel    // log-odds of the link model
	saysModelAway
	inProse
	toRoot
	toDepth
	toPDF
	toHomePage
	siteHasCall // a call was found on the site of the link's target
	siteVisits
	siteWorth
	originWorth // yield of the link's page: how much better its followed links were than those of its kind
	isCited     // found on several pages
	isBacklink
	numSignals
)

// kinds are the types of the pages that contain links.
var kinds = [...]string{part.ListPage, "cfp", "conference", "homepage", "institution_topic", "weblog", mailPage, "other", callPage, backKind}

const numKinds = len(kinds)

// backKind is the kind of a backlink query, whose links are its results.
const backKind = "backlink"

// Constants of the corrector. Before anything is learned, a link with score w by the rules gets
// logistic(fromHand + handSlope·w).
const (
	fromHand    = -4.5
	handSlope   = 6
	modelWeight = 0.35 // initial weight of the link model's log-odds for links within a site
	modelAway   = 0.1  // and for links to other sites, of which its training had none
	yieldWeight = 0.5
	learnRate   = 0.1
	maxWeight   = 4
	modelCentre = 2 // log-odds are relative to exp(-2)
	topRate     = 0.1
	kindFade    = 0.999
	worthStep   = 0.03 // of log-odds: links whose expected worth hardly changes keep their place in the frontier
)

// firstWorths are the prior mean worths of links by the kind of their page.
var firstWorths = map[string]float64{
	part.ListPage: 0.5, "conference": 0.25, "cfp": 0.25, "homepage": 0.1, "institution_topic": 0.05, "weblog": 0.05,
	mailPage: 0.05, "other": 0.01, callPage: 0.3, backKind: 0.2,
}

const firstLinks = 10

func newCorrector() corrector {
	c := corrector{Top: 1, Kinds: map[string]*part.Outcomes{}, Words: make([]wordWeight, 1<<16)}
	c.Weights[saysModel], c.Weights[saysModelAway], c.Weights[originWorth] = modelWeight, modelAway, yieldWeight
	for kind, worth := range firstWorths {
		c.Kinds[kind] = &part.Outcomes{N: firstLinks, Sum: firstLinks * worth}
	}
	return c
}

// outcomesOf returns the account of a kind of page; unknown kinds are other.
func (c *corrector) outcomesOf(kind string) *part.Outcomes {
	if t := c.Kinds[kind]; t != nil {
		return t
	}
	return c.Kinds["other"]
}

type linkFeatures [numSignals]float64

// expectedWorth returns the expected worth of a link, 0 to 1.
func (c *corrector) expectedWorth(ruleScore float64, x *linkFeatures, words wordSet) float64 {
	z := fromHand + handSlope*ruleScore + c.logOddsOf(words)
	for i, v := range x {
		z += c.Weights[i] * v
	}
	z = math.Round(z/worthStep) * worthStep
	return 1 / (1 + math.Exp(-z))
}

// updateWeights moves the weights towards the observed worth of a page.
func (c *corrector) updateWeights(ruleScore float64, x *linkFeatures, worth float64, words wordSet) {
	miss := worth - c.expectedWorth(ruleScore, x, words)
	for i, v := range x {
		c.Weights[i] = max(-maxWeight, min(maxWeight, c.Weights[i]+learnRate*miss*v))
	}
	c.updateWords(words, miss)
}

// recordScore records the score of a followed link. Seeds have none.
func (c *corrector) recordScore(score float64) {
	if score <= 1 {
		c.Top += topRate * (part.ClampUnit(score) - c.Top)
	}
}

// bestRate returns the best rate of finds per cost. First cost is spent for the given worth, then one
// page for each element of promised, best first. It sorts promised.
func bestRate(worth, cost float64, promised []float64) float64 {
	best, sum := worth/cost, worth
	slices.SortFunc(promised, func(a, b float64) int { return cmp.Compare(b, a) })
	for _, p := range promised {
		sum += ahead * p
		cost++
		best = max(best, sum/cost)
	}
	return part.ClampUnit(best)
}

// ahead is the factor on an expected worth that is one page further away.
const ahead = 0.8

// logOdds returns logarithmic odds, bounded.
func logOdds(p float64) float64 {
	p = max(0.001, min(0.999, p))
	return math.Log(p / (1 - p))
}

// setAddressFeatures sets the features of the link's address.
func setAddressFeatures(x *linkFeatures, url string) {
	_, rest, _ := strings.Cut(url, "://")
	depth := strings.Count(strings.TrimSuffix(rest, "/"), "/")
	if depth == 0 {
		x[toRoot] = 1
	}
	x[toDepth] = float64(min(depth, 6)) / 6
	if strings.HasSuffix(url, ".pdf") {
		x[toPDF] = 1
	}
	if part.IsHomePage(url) {
		x[toHomePage] = 1
	}
}

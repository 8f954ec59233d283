package classify

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// A gate file holds a Gate:
//
//	8 bytes   magic "ESgates\n"
//	uint32    format version, little-endian
//	          the Gate as a JSON object
//	32 bytes  SHA-256 of everything before
const (
	gateMagic    = "ESgates\n"
	gateVersion  = 1
	maxGateBytes = 64 << 10
)

// A Gate distinguishes pages about one event, which give a record, from all others. It is a logistic
// regression over two signals (see GateSignals), with the thresholds at which it is applied.
type Gate struct {
	Meta
	Bias   float64 `json:"bias"`
	Call   float64 `json:"call"`   // weight of the first signal
	Either float64 `json:"either"` // weight of the second signal
	// Threshold is the probability from which a page is accepted. Lower thresholds hold for a page with
	// event dates whose probability of being a list of events is below List: Dated if the page has a
	// submission date or at least Deadlines deadlines, and Named if it is plain text and its event has a
	// kind.
	Threshold float64 `json:"threshold"`
	// Context is the Threshold of pages judged in the context of their hosts. If it is 0, Threshold is
	// used.
	Context   float64 `json:"context,omitempty"`
	Dated     float64 `json:"dated"`
	Named     float64 `json:"named"`
	List      float64 `json:"list"`
	Deadlines int     `json:"deadlines"`
	// Calls adjusts the probability that a page is a call by the other pages of its host.
	Calls CallContext `json:"calls"`
	// Site decides whether the pages of one site, none of which is a call by itself, together belong to
	// an edition with a call.
	Site SiteGate `json:"site"`
}

// A SiteGate is a logistic regression over SiteSignals, with the threshold at which it is applied. No
// weight is below 0, so further pages of a site never lower the probability.
type SiteGate struct {
	Bias      float64             `json:"bias"`
	Weights   [SiteWeighs]float64 `json:"weights"`
	Threshold float64             `json:"threshold"`
}

// SiteWeighs is the number of signals of a SiteGate.
const SiteWeighs = 5

// SitePage is the evidence that one page of a site gives about its edition. It holds the probability that
// the page is a call, whether the page has a submission date, and the first day of the event, "" if the
// page has none.
type SitePage struct {
	CFPScore float64
	Submits  bool
	Starts   string
}

// SiteSignals returns the inputs of a SiteGate for the pages of a site, each of which passed the page
// gate. The first two are the highest and the second highest log odds that a page is a call. The others
// are log(1+n) for the number of pages, of pages with a submission date, and of pages that agree on the
// first day of the event. None decreases when pages are added.
func SiteSignals(pages []SitePage) (signals [SiteWeighs]float64) {
	best, second := logOdds(0), logOdds(0)
	submit, agree := 0, 0
	days := map[string]int{}
	for _, p := range pages {
		switch z := logOdds(p.CFPScore); {
		case z > best:
			best, second = z, best
		case z > second:
			second = z
		}
		if p.Submits {
			submit++
		}
		if p.Starts != "" {
			days[p.Starts]++
			agree = max(agree, days[p.Starts])
		}
	}
	return [...]float64{best, second, math.Log1p(float64(len(pages))), math.Log1p(float64(submit)), math.Log1p(float64(agree))}
}

// Probability returns the probability that the pages belong to an edition with a call.
func (g *SiteGate) Probability(signals [SiteWeighs]float64) float64 {
	z := g.Bias
	for i, w := range g.Weights {
		z += w * signals[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// ReadGate reads a gate file to its end. Its errors are those of ReadModel.
func ReadGate(r io.Reader) (*Gate, error) {
	b, _, err := readChecked(r, gateMagic, gateVersion, maxGateBytes)
	if err != nil {
		return nil, fmt.Errorf("read gate: %w", err)
	}
	var g Gate
	if err := json.Unmarshal(b, &g); err != nil {
		return nil, fmt.Errorf("read gate: %w", err)
	}
	return &g, nil
}

// GateSignals returns the inputs of a gate: two log odds. The first is that the page is a call. The
// second is that it is a call or of type cfp or conference, as if the models of calls and of page types
// were independent.
func GateSignals(said Judgement) [2]float64 {
	event := said.PageTypeScores["cfp"] + said.PageTypeScores["conference"]
	return [...]float64{logOdds(said.CFPScore), logOdds(1 - (1-said.CFPScore)*(1-event))}
}

// Probability returns the probability that a page is about one event.
func (g *Gate) Probability(said Judgement) float64 {
	signals := GateSignals(said)
	return 1 / (1 + math.Exp(-(g.Bias + g.Call*signals[0] + g.Either*signals[1])))
}

// AcceptanceThreshold returns the probability from which the gate accepts the judged page. It is Context if the page
// was judged in the context of its host, else Threshold.
func (g *Gate) AcceptanceThreshold(said Judgement) float64 {
	if said.InContext && g.Context > 0 {
		return g.Context
	}
	return g.Threshold
}

// logOdds returns the log odds of p. It limits p to the range in which probabilities of models are
// reliable.
func logOdds(p float64) float64 {
	const sure = 1e-4
	return math.Log(max(p, sure) / max(1-p, sure))
}

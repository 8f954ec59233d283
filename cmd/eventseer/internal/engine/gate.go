package engine

import (
	"slices"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/models"
)

// GateFile is the shipped gate, which distinguishes pages of one event from all others. A crawl
// stores only calls for papers (Judgement.IsCFP); `extract` also reads the other pages of an event,
// its home, dates and committee, because they are merged into it. So all pages that a crawl stores
// pass.
//
// Extracted fields as further signals (deadlines, dates, place, topics, committee, acronym, kind)
// change no figure of its card by more than its variation between folds. But the models are
// uncertain about rare forms, short plain texts and posts of weblogs that announce a call. So event
// dates with a submission date, or with two deadlines, are accepted at a lower probability if the
// page is not a list of events, and in plain text so are the dates of a named conference, workshop,
// symposium or school.
const GateFile = "gate.model"

// Gate returns the shipped gate.
var Gate = sync.OnceValue(func() *classify.Gate {
	f, err := models.Files().Open(GateFile)
	if err != nil {
		panic(err) // the file is included in the program, and read by its tests
	}
	defer func() { _ = f.Close() }() // embedded
	g, err := classify.ReadGate(f)
	if err != nil {
		panic(err)
	}
	return g
})

// NewCallContext returns a context for the pages that j judges, in which they are judged after all
// of them are known.
func NewCallContext(j *classify.Judge) *classify.HostContext {
	return classify.NewCallContext(j, Gate().Calls)
}

// IsEventPage reports whether a page gives a record; e is its extracted record, plain means that it
// has no markup.
func IsEventPage(said classify.Judgement, e eventseer.Event, plain bool) bool {
	return said.IsCFP || isEventByProbability(Gate(), Gate().Probability(said), said, e, plain)
}

// isEventByProbability decides about pages that are not calls.
func isEventByProbability(g *classify.Gate, chance float64, said classify.Judgement, e eventseer.Event, plain bool) bool {
	dated := e.EventStart != "" && said.PageTypeScores["cfp_list"] < g.List
	named := plain && e.Kind != "" && e.Kind != eventseer.OtherKind && e.Kind != eventseer.SpecialIssue
	calls := len(e.Deadlines) >= g.Deadlines || hasSubmission(e)
	return chance >= g.AcceptanceThreshold(said) || dated && calls && chance >= g.Dated || dated && named && chance >= g.Named || dated && e.HasSchedule()
}

// IsEdition reports whether pages of one site that are not calls together belong to an edition that
// calls (doc/decisions/034). One of them names it, one has a submission date or place, and either
// one has the schedule of a call or the gate of sites accepts them.
func IsEdition(pages []eventseer.Event) bool {
	return namesCall(pages) && (slices.ContainsFunc(pages, eventseer.Event.HasSchedule) || Gate().Site.Probability(siteSignals(pages)) >= Gate().Site.Threshold)
}

// namesCall reports whether pages have a name, and a submission deadline or address.
func namesCall(pages []eventseer.Event) bool {
	named := slices.ContainsFunc(pages, func(e eventseer.Event) bool { return e.Title != "" })
	return named && slices.ContainsFunc(pages, func(e eventseer.Event) bool { return e.SubmissionURL != "" || hasSubmission(e) })
}

func siteSignals(pages []eventseer.Event) [classify.SiteWeighs]float64 {
	said := make([]classify.SitePage, len(pages))
	for i, e := range pages {
		said[i] = classify.SitePage{CFPScore: e.CFPScore, Submits: hasSubmission(e), Starts: string(e.EventStart)}
	}
	return classify.SiteSignals(said)
}

func hasSubmission(e eventseer.Event) bool {
	return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind.IsSubmission() })
}

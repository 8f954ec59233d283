package monitor

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A History is the times at which a page changed, for simulating policies.
type History struct {
	URL  string
	Kind Kind
	// Changes are the times of its versions, in order. The first is its creation: the crawl that
	// finds the page sees it then, and it is a source from then on.
	Changes []time.Time
	// End is when it ceases to be a source. Zero means never.
	End time.Time
	// Yield returns the result of the interface Yield at a time if version, counted from 0, was the
	// last one seen. It is pure. Nil knows nothing.
	Yield func(version int, now time.Time) (worth float64, moments []time.Time, ok bool)
}

// ReplayOptions are the settings of a simulation.
type ReplayOptions struct {
	From, To time.Time // time range of the visits
	// PerDay is the number of visits per day, PerPage the number for each page that is then a
	// source. One of the two is 0.
	PerDay, PerPage float64
	// Within is the time within which a change should be seen. Zero means 7 days.
	Within time.Duration
	// Saved is how long unused visits can be saved. Zero means 30 days.
	Saved time.Duration
	// Step is the interval between checks for due pages. Zero means 6 hours.
	Step time.Duration
	// Visited, if set, is called for each visit with the reason that Plan would give.
	Visited func(url string, at time.Time, why string)
}

// Replayed is the result of a policy.
type Replayed struct {
	Policy  string        `json:"policy"`
	Visits  int           `json:"visits"`  // visits, without that of the crawl
	Changes int           `json:"changes"` // changes between From and To, without first versions
	Seen    int           `json:"seen"`    // within the time, perhaps together with a later one
	Share   float64       `json:"share"`   // Seen of Changes
	Delay   time.Duration `json:"delay"`   // mean delay until a visit, over the changes that were seen
	Fresh   float64       `json:"fresh"`   // share of the time of all pages in which the last version was known
	// Pages are in the order of the histories.
	Pages []ReplayedPage `json:"-"`
}

// A ReplayedPage is the result for one page.
type ReplayedPage struct {
	// Delays are the delays until a visit of each change after the first version. NeverSeen is for
	// changes without a visit, and those that are not between From and To are left out.
	Delays []time.Duration
	// Fresh is how long the last version was known, Alive how long the page was a source.
	Fresh, Alive time.Duration
}

// NeverSeen is the delay of a change that no visit has seen.
const NeverSeen time.Duration = -1

// A simulatedPage is the state of a page during a simulation.
type simulatedPage struct {
	History
	source Source
	next   int // index of the first unseen change
	page   *ReplayedPage
}

// Replay plays a policy over histories in time order. At each step it visits the pages that are
// due, the longest due first, within the number of visits. The policy only knows the results of
// visits.
func Replay(p Policy, histories []History, o ReplayOptions) Replayed {
	o.Within, o.Step = cmp.Or(o.Within, 7*24*time.Hour), cmp.Or(o.Step, 6*time.Hour)
	o.Saved = cmp.Or(o.Saved, 30*24*time.Hour)
	r := Replayed{Policy: p.Name(), Pages: make([]ReplayedPage, len(histories))}
	pages := make([]*simulatedPage, 0, len(histories))
	for i, h := range histories {
		if len(h.Changes) == 0 {
			continue
		}
		r.Pages[i].Delays = slices.Repeat([]time.Duration{NeverSeen}, len(h.Changes)-1)
		pages = append(pages, &simulatedPage{History: h, source: Source{URL: h.URL, Kind: h.Kind}, page: &r.Pages[i]})
	}
	budget := 0.0
	for now := o.From; now.Before(o.To); now = now.Add(o.Step) {
		live := sourcesAt(pages, now)
		if len(live) == 0 {
			continue
		}
		perDay := o.PerDay + o.PerPage*float64(len(live))
		budget = min(budget+perDay*toDays(o.Step), max(perDay*toDays(o.Saved), 1))
		for _, d := range duePagesAt(p, live, perDay, now) {
			if budget < 1 {
				break
			}
			budget--
			r.Visits++
			if o.Visited != nil {
				o.Visited(d.URL, now, d.Why)
			}
			d.simulateVisit(now)
		}
		for _, w := range live {
			w.page.Alive += o.Step
			if w.next == len(w.Changes) || w.Changes[w.next].After(now) {
				w.page.Fresh += o.Step
			}
		}
	}
	r.addPages(histories, o)
	return r
}

// sourcesAt returns the pages that are sources at a time. The crawl has seen the first version.
func sourcesAt(pages []*simulatedPage, now time.Time) (live []*simulatedPage) {
	for _, w := range pages {
		if w.Changes[0].After(now) || !w.End.IsZero() && !now.Before(w.End) {
			continue
		}
		if w.source.Visited == 0 {
			w.source.addVisit(Visit{At: w.Changes[0], Fate: Changed})
			w.next = 1
		}
		live = append(live, w)
	}
	return live
}

// A duePage is a page that may be visited now.
type duePage struct {
	*simulatedPage
	Due
}

// duePagesAt returns the pages that are due, the longest due first.
func duePagesAt(p Policy, live []*simulatedPage, perDay float64, now time.Time) (due []duePage) {
	sources := make([]Source, len(live))
	for i, w := range live {
		sources[i] = w.source
	}
	priors := LearnPriors(sources)
	known := make([]Page, len(live))
	for i, w := range live {
		known[i] = policyInputOf(&w.source, priors[w.Kind])
		if w.Yield != nil {
			if worth, moments, ok := w.Yield(w.next-1, now); ok {
				known[i].Worth, known[i].Moments = max(worth, minWorth), moments
			}
		}
	}
	pace := p.Fit(known, perDay)
	for i, w := range live {
		if d := pace(known[i]); !d.At.After(now) {
			due = append(due, duePage{w, d})
		}
	}
	slices.SortStableFunc(due, func(a, b duePage) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.URL, b.URL)) })
	return due
}

// simulateVisit visits a page.
func (w *simulatedPage) simulateVisit(now time.Time) {
	fate := Unchanged
	for ; w.next < len(w.Changes) && !w.Changes[w.next].After(now); w.next++ {
		fate = Changed
		w.page.Delays[w.next-1] = now.Sub(w.Changes[w.next])
	}
	w.source.addVisit(Visit{At: now, Fate: fate})
}

// addPages adds up the results of the pages.
func (r *Replayed) addPages(histories []History, o ReplayOptions) {
	var delay, fresh, alive time.Duration
	seen := 0
	for i := range r.Pages {
		page := &r.Pages[i]
		fresh, alive = fresh+page.Fresh, alive+page.Alive
		for j, d := range page.Delays {
			if at := histories[i].Changes[j+1]; !at.After(o.From) || !at.Before(o.To) {
				page.Delays[j] = NeverSeen
				continue
			}
			r.Changes++
			if d == NeverSeen {
				continue
			}
			seen++
			delay += d
			if d <= o.Within {
				r.Seen++
			}
		}
	}
	if r.Changes > 0 {
		r.Share = float64(r.Seen) / float64(r.Changes)
	}
	if seen > 0 {
		r.Delay = delay / time.Duration(seen)
	}
	if alive > 0 {
		r.Fresh = float64(fresh) / float64(alive)
	}
}

// A SeenShare is the share of changes that were seen in time, with its interval by site.
type SeenShare struct {
	Seen  int        `json:"seen"`
	Of    int        `json:"of"`
	Share float64    `json:"share"`
	CI95  [2]float64 `json:"ci95"`
}

// replayDraws is the number of bootstrap draws of sites for an interval.
const replayDraws = 1000

// SeenShareOf counts the changes that were seen in time, among those for which counts returns true.
// page and change are their numbers. sites are those of the pages.
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

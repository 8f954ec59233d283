package monitor

import (
	"cmp"
	"slices"
	"time"
)

// A History is how a page changed, for playing policies against it.
type History struct {
	URL  string
	Kind Kind
	// Changes are the times of its versions, in order. The first is when it began; the
	// page is a source from then on.
	Changes []time.Time
	// Moments and Worth are as in Page; a Worth of 0 means 1. Moments are known from the
	// start.
	Moments []time.Time
	Worth   float64
}

// ReplayOptions say how policies are played.
type ReplayOptions struct {
	From, To time.Time // visits are made between them
	PerDay   float64   // visits a day
	// Within is the time within which a change is to be seen. Zero means 7 days.
	Within time.Duration
	// Step is how often it is looked what is due. Zero means 6 hours.
	Step time.Duration
	// Visited, if set, is told of each visit and what Plan would say of it.
	Visited func(url string, at time.Time, why string)
}

// Replayed is what came of a policy.
type Replayed struct {
	Policy  string        `json:"policy"`
	Visits  int           `json:"visits"`  // made, the first of each page included
	Changes int           `json:"changes"` // between From and To, the first versions not counted
	Seen    int           `json:"seen"`    // within the time, also together with a later one
	Share   float64       `json:"share"`   // Seen of Changes
	Delay   time.Duration `json:"delay"`   // of a change until a visit, the mean over those that were seen at all
}

// A watched is a page while it is played.
type watched struct {
	History
	source Source
	next   int // the first change that no visit has seen
}

// Replay plays a policy over histories in time order: at each step the pages that are
// due are visited, the longest due first, as far as there are visits; visits that are
// not used are saved up for a day at most. What a visit finds is all the policy learns
// of. The first visit of each page counts as one.
func Replay(p Policy, histories []History, o ReplayOptions) Replayed {
	o.Within, o.Step = cmp.Or(o.Within, 7*24*time.Hour), cmp.Or(o.Step, 6*time.Hour)
	r := Replayed{Policy: p.Name()}
	pages := make([]*watched, 0, len(histories))
	for _, h := range histories {
		pages = append(pages, &watched{History: h, source: Source{URL: h.URL, Kind: h.Kind}, next: 1})
		for _, at := range h.Changes[min(1, len(h.Changes)):] {
			if at.After(o.From) && at.Before(o.To) {
				r.Changes++
			}
		}
	}
	var delay time.Duration
	seen, purse := 0, 0.0
	for now := o.From; now.Before(o.To); now = now.Add(o.Step) {
		purse = min(purse+o.PerDay*days(o.Step), max(o.PerDay, 1))
		for _, d := range dueAt(p, pages, o.PerDay, now) {
			if purse < 1 {
				break
			}
			purse--
			r.Visits++
			if o.Visited != nil {
				o.Visited(d.URL, now, d.Why)
			}
			for _, change := range d.look(now) {
				if !change.After(o.From) {
					continue
				}
				seen++
				delay += now.Sub(change)
				if now.Sub(change) <= o.Within {
					r.Seen++
				}
			}
		}
	}
	if r.Changes > 0 {
		r.Share = float64(r.Seen) / float64(r.Changes)
	}
	if seen > 0 {
		r.Delay = delay / time.Duration(seen)
	}
	return r
}

// A duePage is a page that may be visited now.
type duePage struct {
	*watched
	Due
}

// dueAt returns the pages that are due, the longest due first.
func dueAt(p Policy, pages []*watched, perDay float64, now time.Time) (due []duePage) {
	var live []*watched
	var sources []Source
	for _, w := range pages {
		if len(w.Changes) > 0 && !w.Changes[0].After(now) {
			live, sources = append(live, w), append(sources, w.source)
		}
	}
	priors := LearnPriors(sources)
	known := make([]Page, len(live))
	for i, w := range live {
		s := &w.source
		known[i] = Page{
			URL: s.URL, Kind: s.Kind, Rate: max(priors[s.Kind].Rate(s.accesses()), minRate), Worth: cmp.Or(w.Worth, 1),
			Last: s.Last().At, Row: s.Row, Moments: w.Moments,
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

// look visits a page and returns the times of the changes that it brings to light.
func (w *watched) look(now time.Time) []time.Time {
	from := w.next
	for w.next < len(w.Changes) && !w.Changes[w.next].After(now) {
		w.next++
	}
	fate := Unchanged
	if w.next > from || w.source.Visited == 0 {
		fate = Changed
	}
	w.source.visit(Visit{At: now, Fate: fate})
	return w.Changes[from:w.next]
}

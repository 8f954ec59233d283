package crawler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"eventseer/webgraph"
)

// A Ranker is a Strategy that can say what the backlinks of a page are worth
// when the verdict of an earlier part of the crawl is all that is left of its
// visit. Without one every source has the score of the page's Relevance.
type Ranker interface {
	Strategy
	// Rank does what v.Backward would have done. Of v, Relevance, TopicScore and
	// Back are set.
	Rank(url string, v Verdict, links []webgraph.Link) ([]Candidate, []Note)
}

// owedPrefix begins the keys of the notes of debts; what follows is the URL of
// the lease.
const owedPrefix = "crawler/owed/"

// A debt is a request for backlinks that the budget did not allow.
type debt struct {
	URL        string  `json:"url"` // that answered
	Relevance  float64 `json:"relevance"`
	TopicScore float64 `json:"topic_score,omitempty"`
	Back       int     `json:"back"`
	Depth      int     `json:"depth"`
}

// debts are the requests owed, by the URL of the lease. They are safe for
// concurrent use.
type debts struct {
	mu   sync.Mutex // guards owed
	owed map[string]debt
}

// recall reads notes.
func (d *debts) recall(notes []Note) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed = map[string]debt{}
	for _, n := range notes {
		var o debt
		if err := json.Unmarshal(n.Value, &o); err != nil {
			return fmt.Errorf("note %s: %w", n.Key, err)
		}
		d.owed[strings.TrimPrefix(n.Key, owedPrefix)] = o
	}
	return nil
}

// take removes what is owed for a lease.
func (d *debts) take(url string) (debt, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.owed[url]
	delete(d.owed, url)
	return o, ok
}

// claims returns the links that make the frontier hand out again, before all
// others, what is owed.
func (d *debts) claims() []Candidate {
	d.mu.Lock()
	defer d.mu.Unlock()
	var cs []Candidate
	for _, url := range slices.Sorted(maps.Keys(d.owed)) {
		cs = append(cs, Candidate{URL: url, Score: MaxScore, Depth: d.owed[url].Depth, How: Monitor})
	}
	return cs
}

// owe returns the note that the page's backlinks are still to be asked for: when the
// crawl goes on with a larger budget, that comes first.
func owe(a Arrival, v Verdict) []Note {
	value, err := json.Marshal(debt{URL: a.URL(), Relevance: v.Relevance, TopicScore: v.TopicScore, Back: v.Back, Depth: a.Lease.Depth})
	if err != nil { // strings and finite numbers always encode
		return nil
	}
	return []Note{{Key: owedPrefix + a.Lease.URL, Value: value}}
}

// payDebt asks for the backlinks of a page of an earlier part of the crawl. The page
// is not fetched again.
func (c *Crawler) payDebt(ctx context.Context, l Lease, d debt, held *reservation) *pageResult {
	a := Arrival{Lease: l, Outcome: Outcome{
		Fate: Unchanged, At: c.o.Now(), Unasked: true, Reason: "not fetched again: asked for its backlinks",
		Digest: l.Digest, ETag: l.ETag, LastModified: l.LastModified,
	}}
	if d.URL != l.URL {
		a.Outcome.FinalURL = d.URL
	}
	v := Verdict{Relevance: d.Relevance, TopicScore: d.TopicScore, Back: d.Back}
	known := v
	if r, ok := c.o.Strategy.(Ranker); ok {
		v.Backward = func(links []webgraph.Link) ([]Candidate, []Note) { return r.Rank(d.URL, known, links) }
	}
	links := &linkSelection{Crawler: c, page: a}
	back := c.back(ctx, a, v, held)
	links.push(back.sources, Back)
	a.Outcome.Cost += back.cost()
	a.Outcome.Notes = append([]Note{{Key: owedPrefix + l.URL}}, back.notes...)
	a.Outcome.Skipped = links.skips.lines()
	return &pageResult{arrival: a, verdict: v, asked: back.asked, changes: Changes{Push: links.pushed}}
}

package monitor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
)

// A Yield returns the value of changes of a page to the code that uses them. The monitor does not
// depend on events and deadlines. It is safe for concurrent use.
type Yield interface {
	// Yield returns the value of a change of a page, and the times around which one is probable.
	// worth is from 0 to 1, or above for exceptional pages. ok is false if the page is unknown.
	Yield(url string) (worth float64, moments []time.Time, ok bool)
}

// Yielded counts the results of a page's links.
type Yielded struct {
	Records int      `json:"records"`         // number of links that led to records
	Links   []string `json:"links,omitempty"` // the newest links with records, canonical
	Vain    []string `json:"vain,omitempty"`  // the newest of the links that led to no record
}

// maxLinks is the maximum number of stored links of each kind: those that led to pages with records, and the
// others.
const maxLinks = 500

// LinkResults returns what the links of a page led to.
func (d *DB) LinkResults(url string) (y Yielded, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		y, _, err = getValue[Yielded](tx, yieldBucket, url)
		return err
	})
	return y, err
}

// followedLink records what a link of a page led to, and reports whether that is new.
func followedLink(tx *bolt.Tx, page, link string, gave bool) (y Yielded, fresh bool, err error) {
	y, _, err = getValue[Yielded](tx, yieldBucket, page)
	if err != nil || slices.Contains(y.Links, link) || !gave && slices.Contains(y.Vain, link) {
		return y, false, err
	}
	links := &y.Vain
	if gave {
		y.Records++
		y.Vain = slices.DeleteFunc(y.Vain, func(l string) bool { return l == link })
		links = &y.Links
	}
	if *links = append(*links, link); len(*links) > maxLinks {
		*links = slices.Delete(*links, 0, len(*links)-maxLinks)
	}
	return y, true, putValue(tx, yieldBucket, []byte(page), y)
}

// A Planned is a source with when it is due.
type Planned struct {
	Source
	Rate    float64 // estimated changes per day
	Records int     // records found through its links
	Due
}

// A Plan distributes visits over sources.
type Plan struct {
	Policy Policy // nil means Timely
	Yield  Yield  // nil knows nothing
	// PerDay is the number of visits per day. Zero means one per week for each source.
	PerDay float64
}

// Plan returns all sources in the order in which they are due. It is computed from the visits, the
// plan and the clock, and not stored.
func (d *DB) Plan(p Plan) ([]Planned, error) {
	sources, err := d.Sources()
	if err != nil || len(sources) == 0 {
		return nil, err
	}
	policy := p.Policy
	if policy == nil {
		policy = Timely{}
	}
	perDay := p.PerDay
	if perDay <= 0 {
		perDay = float64(len(sources)) / 7
	}
	priors := LearnPriors(sources)
	planned, pages := make([]Planned, len(sources)), make([]Page, len(sources))
	for i, s := range sources {
		y, err := d.LinkResults(s.URL)
		if err != nil {
			return nil, err
		}
		planned[i] = Planned{Source: s, Records: y.Records}
		pages[i] = planned[i].policyInput(priors[s.Kind], p.Yield)
		planned[i].Rate = pages[i].Rate
	}
	pace := policy.Fit(pages, perDay)
	for i := range planned {
		planned[i].Due = pace(pages[i])
	}
	slices.SortStableFunc(planned, func(a, b Planned) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.URL, b.URL))
	})
	return planned, nil
}

// minWorth is the minimum value of a page: even past ones are visited from time to time.
const minWorth = 0.01

// policyInputOf returns the input of a policy for any source.
func policyInputOf(s *Source, prior Prior) Page {
	return Page{URL: s.URL, Kind: s.Kind, Rate: max(prior.Rate(s.accesses()), minRate), Worth: 1, Last: s.Last().At, Row: s.Row, Visits: s.Visits}
}

// policyInput returns the input of a policy for a source, with its yield.
func (p *Planned) policyInput(prior Prior, y Yield) Page {
	page := policyInputOf(&p.Source, prior)
	if y != nil {
		if worth, moments, ok := y.Yield(p.URL); ok {
			page.Worth, page.Moments = worth, moments
		}
	}
	if p.Kind.isWatchedForLinks() { // a change of a list that leads to many records is worth more
		page.Worth *= 1 + math.Log2(1+float64(p.Records))
	}
	page.Worth = max(page.Worth, minWorth)
	return page
}

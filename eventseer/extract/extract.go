// Package extract reads calls for papers into records: title, acronym, dates
// and place of the event, typed deadlines, topics and people. It reads the
// blocks of a parsed page by grammars and tables of patterns; each field is
// one file. Every value carries where it was read.
package extract

import (
	"strings"
	"sync"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// Options configures an Extractor.
type Options struct {
	// Now is the clock: a date more than MaxAhead years after it is taken for a
	// misprint and not read. Nil means time.Now.
	Now func() time.Time
	// Cities holds cities that are known by their name alone, with the ISO
	// 3166-1 alpha-2 code of their country, or "" where that is in doubt. It
	// adds to a short list of the package; nil adds nothing. It must not change
	// while the Extractor is in use.
	Cities map[string]string
}

// MaxAhead is how many years ahead of now a date may lie.
const MaxAhead = 10

// An Extractor reads events from pages by rules. It is safe for concurrent
// use, and the same page gives the same record.
type Extractor struct {
	now    func() time.Time
	names  recognizer
	cities map[string]string
}

var _ eventseer.Extractor = (*Extractor)(nil)

// New returns an extractor.
func New(o Options) *Extractor {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Extractor{now: o.Now, names: sync.OnceValue(loadModel), cities: o.Cities}
}

// Extract implements eventseer.Extractor. A page gives an event when it has a
// title and a date, a deadline or topics; whether it is a call is the
// classifier's to say. The work is linear in the page, within the bounds of
// this package.
func (x *Extractor) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	p := read(t, x.now().Year()+MaxAhead)
	p.names, p.cities = x.names, x.cities
	e := eventseer.Event{URL: p.url, Sources: map[string]eventseer.Provenance{}}
	note := func(field string, src eventseer.Provenance, found bool) {
		if found {
			e.Sources[field] = src
		}
	}
	var src eventseer.Provenance
	e.Title, src = p.title()
	note("title", src, e.Title != "")
	p.class = nounClass(e.Title)
	p.year = p.editionYear(e.Title)
	p.fillYears()
	entries := p.entries()
	p.settleYear(entries)
	when, dateBlock, src, dated := p.eventDays(entries)
	if dated {
		e.EventStart, e.EventEnd = when.from.date(), when.to.date()
		note("event_start", src, true)
		note("event_end", src, true)
	}
	e.Deadlines = p.deadlines(entries, when)
	e.Year = p.year
	if dated {
		e.Year = when.from.year
	}
	e.Acronym, src = p.acronym(e.Title)
	note("acronym", src, e.Acronym != "")
	e.Kind = p.kindOf(e.Title)
	e.Location, src = p.venue(e.Title, dateBlock)
	note("location", src, e.Location != nil)
	e.Topics, src = p.topics()
	note("topics", src, len(e.Topics) > 0)
	e.Committee, src = p.committee()
	note("committee", src, len(e.Committee) > 0)
	e.SubmissionURL = p.submissionURL()
	e.Publisher, src = p.publisher()
	note("publisher", src, e.Publisher != "")
	e.Confidence = confidence(e)
	e.Warnings = p.warnings()
	return e, e.Title != "" && (dated || len(e.Deadlines) > 0 || len(e.Topics) > 0)
}

// confidence is a first estimate from how much of a call was found.
func confidence(e eventseer.Event) float64 {
	c := 0.3
	if e.EventStart != "" {
		c += 0.2
	}
	for _, d := range e.Deadlines {
		if d.Kind.Submits() {
			c += 0.25
			break
		}
	}
	if e.Location != nil {
		c += 0.1
	}
	if e.Acronym != "" {
		c += 0.1
	}
	return min(c, 0.95)
}

// warnings says what was read on a guess.
func (p *page) warnings() []eventseer.Warning {
	for _, d := range p.dates {
		if d.either {
			return []eventseer.Warning{{Rule: "ambiguous-date", Text: "day and month of " + strings.TrimSpace(p.blocks[d.block].Text[d.start:d.end]) + " may be the other way round"}}
		}
	}
	return nil
}

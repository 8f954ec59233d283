// Package extract reads calls for papers into records: title, acronym, dates and place of the event,
// deadlines with their kinds, topics and people. It applies learned models, grammars and tables of patterns
// to the blocks of a parsed page. Every value has its source on the page.
package extract

import (
	"bytes"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Options configures an Extractor.
type Options struct {
	// Now is the clock. A date more than MaxAhead years after it is treated as a misprint. Nil means
	// time.Now.
	Now func() time.Time
	// Cities returns the cities with a name in any language, the largest first, followed by the divisions
	// of that name. It supplements a short list in this package. Nil adds nothing. It must be safe for
	// concurrent use.
	Cities func(name string) []City
	// Models is a folder of model files that replace the built-in models of the same names. It is used to
	// evaluate models that were trained without some sites. Nil replaces none.
	Models fs.FS
}

// MaxAhead is the maximum number of years from now to a date.
const MaxAhead = 10

// An Extractor reads events from pages. It is safe for concurrent use and deterministic.
type Extractor struct {
	now    func() time.Time
	cities func(string) []City
	models func() *weights
}

var _ eventseer.Extractor = (*Extractor)(nil)

// New returns an extractor. It panics if Options.Models contains a damaged file.
func New(o Options) *Extractor {
	if o.Now == nil {
		o.Now = time.Now
	}
	x := &Extractor{now: o.Now, cities: o.Cities, models: shippedWeights}
	if o.Models != nil {
		w, err := readWeights(o.Models)
		if err != nil {
			panic(err)
		}
		x.models = func() *weights { return w }
	}
	return x
}

// Extract implements eventseer.Extractor. It reports true for a page with a title and one of the following:
// a date of the event, a deadline, topics, a place, people, or both an acronym and a year. Whether the page
// is a call is decided by the classifier of pages. The time is linear in the size of the page, up to the
// limits of this package.
func (x *Extractor) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	if t.Page != nil && Unreadable(t.Page) != "" {
		return eventseer.Event{URL: t.Page.URL}, false
	}
	e, p := x.extractWithPage(t)
	p.release()
	return e, e.Title != "" && (e.EventStart != "" || len(e.Deadlines) > 0 || len(e.Topics) > 0 || e.Location != nil || len(e.Committee) > 0 ||
		e.Acronym != "" && e.Year != 0)
}

// extractWithPage is Extract that also returns the page with intermediate results, which training needs.
func (x *Extractor) extractWithPage(t *tagtree.Tree) (eventseer.Event, *page) {
	p := preparePage(t, x.now().Year()+MaxAhead)
	m := x.models()
	p.roles, p.people = m.roles.Roles(t, p.blocks), m.people
	p.cities, p.placeRanker, p.kindsBy = x.cities, m.place, m.kinds
	p.called = m.names.Read(p.namePage())
	e := eventseer.Event{URL: p.url, Sources: map[string]eventseer.Provenance{}}
	note := func(field string, src eventseer.Provenance, found bool) {
		if found {
			e.Sources[field] = src
		}
	}
	var src eventseer.Provenance
	e.Title, src = p.readTitle()
	note("title", src, e.Title != "")
	p.class = nounClass(e.Title)
	p.year = p.editionYear(e.Title)
	p.setYearsOfTimeElements()
	p.fillYears()
	entries := p.labelledDates()
	p.correctYear(entries)
	p.call = p.callDatesOf(entries)
	when, dateBlock, src, dated := p.eventDays(entries, e.Title)
	if dated {
		e.EventStart, e.EventEnd = when.From.Date(), when.To.Date()
		note("event_start", src, true)
		note("event_end", src, true)
	}
	e.Deadlines = p.readDeadlines(entries, when)
	e.Year = p.year
	if dated {
		e.Year = when.From.Year
	}
	e.Acronym, src = p.readAcronym()
	note("acronym", src, e.Acronym != "")
	e.Kind = p.kindOf(e.Title)
	e.Parent, src = p.readParent(e.Title, e.Acronym, e.Kind)
	note("parent", src, e.Parent != "")
	shown := e.Title // the title if it is from the title element; other titles are read in their blocks
	if !p.called.Name.Element {
		shown = ""
	}
	e.Location, src = p.readVenue(shown, dateBlock)
	note("location", src, e.Location != nil)
	resolveZones(e.Deadlines, e.Location)
	topics, ofTopics := p.readTopics(m.topics)
	people, ofPeople := p.readCommittee()
	e.Topics, e.Committee = separateTopicsAndPeople(topics, people)
	note("topics", ofTopics, len(e.Topics) > 0)
	note("committee", ofPeople, len(e.Committee) > 0)
	sub := p.readSubmission()
	e.SubmissionURL, e.SubmissionSystem = sub.url, sub.system
	note("submission_url", sub.source, sub.url != "")
	e.Publisher, src = p.readPublisher()
	note("publisher", src, e.Publisher != "")
	e.State, src = p.readState(&e)
	note("state", src, e.State != "")
	e.Warnings = append(p.readWarnings(), p.dateWarnings(&e)...)
	p.titleFromAcronym(&e)
	p.fillStructured(&e)
	redactRecord(&e)
	e.Confidence = recordConfidence(e)
	return e, p
}

const (
	maxProlog    = 1024 // bytes of an XML document that are searched for the start of XHTML
	maxShownType = 80   // runes of a content type in a message
)

// Unreadable returns the reason why a page cannot be read into a record, or "". The page has a status other
// than 200, is a sitemap or feed, or is not HTML, text, mail or PDF. Pages read from files have neither
// status nor type.
func Unreadable(p *webgraph.Page) string {
	if p.Status != 0 && p.Status != http.StatusOK {
		return fmt.Sprintf("the response has status %d", p.Status)
	}
	if p.Entries != nil {
		return "the page is a sitemap or a feed"
	}
	declared := p.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(declared)
	if err != nil {
		kind, _, _ = strings.Cut(declared, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	switch kind {
	case "", "text/html", "application/xhtml+xml", "text/plain", "application/pdf", "application/x-pdf", "application/octet-stream", "message/rfc822", "text/markdown":
		return ""
	case "application/xml", "text/xml":
		if bytes.Contains(bytes.ToLower(p.Body[:min(len(p.Body), maxProlog)]), []byte("<html")) {
			return ""
		}
	}
	return "the page is of type " + text.OneLine(kind, maxShownType)
}

// recordConfidence returns a first estimate of a record's confidence from the fields that were found.
func recordConfidence(e eventseer.Event) float64 {
	c := 0.3
	if e.EventStart != "" {
		c += 0.2
	}
	for _, d := range e.Deadlines {
		if d.Kind.IsSubmission() {
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

// readWarnings returns a warning for each kind of date that was read uncertainly: day and month may be swapped,
// or the year is missing.
func (p *page) readWarnings() []eventseer.Warning {
	var ws []eventseer.Warning
	for _, d := range p.dates {
		if d.Either {
			ws = append(ws, eventseer.Warning{Rule: "ambiguous-date", Text: "day and month of " + p.printedDate(d) + " may be swapped"})
			break
		}
	}
	if len(p.open) > 0 {
		ws = append(ws, eventseer.Warning{Rule: "no-year", Text: "the page does not give the year of " + p.printedDate(p.open[0])})
	}
	return ws
}

// printedDate returns a date as the page prints it.
func (p *page) printedDate(d foundDate) string {
	return strings.TrimSpace(p.blocks[d.block].Text[d.Start:d.End])
}

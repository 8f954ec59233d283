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
	"github.com/eventseer/eventseer/eventseer/extract/date"
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
	e, r := x.extract(t)
	r.release()
	return e, e.Title != "" && (e.EventStart != "" || len(e.Deadlines) > 0 || len(e.Topics) > 0 || e.Location != nil || len(e.Committee) > 0 ||
		e.Acronym != "" && e.Year != 0)
}

// A reading is a page with the readers of its fields.
type reading struct {
	*page
	names     *nameReader
	places    *placeReader
	days      *dayReader
	deadlines *deadlineReader
}

// newReading returns the readers of a page, without models.
func newReading(p *page) *reading {
	places := &placeReader{page: p}
	deadlines := &deadlineReader{page: p, onlyDates: map[int]bool{}}
	deadlines.readSectionCalls()
	return &reading{p, &nameReader{page: p}, places, &dayReader{p, places}, deadlines}
}

// prepareReading prepares a page for reading by the models w, and reads what its event is called.
func (x *Extractor) prepareReading(t *tagtree.Tree, w *weights) *reading {
	r := newReading(preparePage(t, x.now().Year()+MaxAhead))
	r.roles = w.roles.Roles(t, r.blocks)
	r.places.cities, r.places.ranker, r.deadlines.classifier = x.cities, w.place, w.kinds
	r.called = w.names.Read(r.names.namePage())
	return r
}

// labelledDays are the dates of a page with labels, and the days of its event.
type labelledDays struct {
	entries []entry
	event   date.Span
	block   int // with the days of the event; -1 for none
	source  eventseer.Provenance
	found   bool // whether the days of the event were found
}

// readDays reads the year of the event, then the dates with labels and the days of the event.
func (r *reading) readDays(title string) labelledDays {
	r.class = nounClass(title)
	r.year = r.editionYear(title)
	r.setYearsOfTimeElements()
	r.fillYears()
	d := labelledDays{entries: r.deadlines.labelledDates()}
	r.days.correctYear(d.entries)
	r.call = r.days.callDatesOf(d.entries)
	d.event, d.block, d.source, d.found = r.days.eventDays(d.entries, title)
	return d
}

// extract is Extract that also returns the reading with intermediate results, which training needs.
func (x *Extractor) extract(t *tagtree.Tree) (eventseer.Event, *reading) {
	m := x.models()
	r := x.prepareReading(t, m)
	e := eventseer.Event{URL: r.url, Sources: map[string]eventseer.Provenance{}}
	note := func(field string, src eventseer.Provenance, found bool) {
		if found {
			e.Sources[field] = src
		}
	}
	var src eventseer.Provenance
	e.Title, src = r.names.readTitle()
	note("title", src, e.Title != "")
	days := r.readDays(e.Title)
	if days.found {
		e.EventStart, e.EventEnd = days.event.From.Date(), days.event.To.Date()
		note("event_start", days.source, true)
		note("event_end", days.source, true)
	}
	e.Deadlines = r.deadlines.readDeadlines(days.entries, days.event)
	e.Year = r.year
	if days.found {
		e.Year = days.event.From.Year
	}
	e.Acronym, src = r.names.readAcronym()
	note("acronym", src, e.Acronym != "")
	e.Kind = kindOf(r.page, e.Title)
	e.Parent, src = r.names.readParent(e.Title, e.Acronym, e.Kind)
	note("parent", src, e.Parent != "")
	shown := e.Title // the title if it is from the title element; other titles are read in their blocks
	if !r.called.Name.Element {
		shown = ""
	}
	e.Location, src = r.places.readVenue(shown, days.block)
	note("location", src, e.Location != nil)
	resolveZones(e.Deadlines, e.Location)
	topics, ofTopics := readTopics(r.page, m.topics)
	people, ofPeople := readCommittee(r.places, m.people)
	e.Topics, e.Committee = separateTopicsAndPeople(topics, people)
	note("topics", ofTopics, len(e.Topics) > 0)
	note("committee", ofPeople, len(e.Committee) > 0)
	sub := readSubmission(r.page)
	e.SubmissionURL, e.SubmissionSystem = sub.url, sub.system
	note("submission_url", sub.source, sub.url != "")
	e.Publisher, src = readPublisher(r.page)
	note("publisher", src, e.Publisher != "")
	e.State, src = readState(r.page, &e)
	note("state", src, e.State != "")
	e.Warnings = append(r.readWarnings(), r.dateWarnings(&e)...)
	r.names.titleFromAcronym(&e)
	r.fillStructured(&e)
	redactRecord(&e)
	e.Confidence = recordConfidence(e)
	return e, r
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

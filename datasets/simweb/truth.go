package simweb

import "sort"

// A PageType is one of the eight page types of the corpora.
type PageType string

// The page types.
const (
	CFP              PageType = "cfp"
	CFPList          PageType = "cfp_list"
	Conference       PageType = "conference"
	Homepage         PageType = "homepage"
	InstitutionTopic PageType = "institution_topic"
	MailAnnouncement PageType = "mail_announcement"
	Weblog           PageType = "weblog"
	Other            PageType = "other"
)

// Truth is what the web really holds.
type Truth struct {
	// Pages are the pages that answer 200 with a body of their own, without
	// robots.txt and pages made per request, in the order of the plan.
	Pages []PageTruth
	// Events are what the pages call for, each once, sorted by ID.
	Events []Event

	byURL map[string]int // index into Pages
}

// PageTruth is what one page really is.
type PageTruth struct {
	URL   string
	Type  PageType
	IsCFP bool
	// NearMiss says what makes the page look like a call though it is none,
	// such as "programme" or "stub"; else "".
	NearMiss string
	// Event is the ID of the event the page calls for; "" where IsCFP is false.
	Event string
	// Deadlines are those the page prints in its block of dates, Text as printed.
	Deadlines []Deadline
}

// An Event is one event that the web's pages call for.
type Event struct {
	ID      string // "icga-2027"
	Title   string // without year and acronym
	Acronym string
	Year    int
	// Start and End are days, "2027-06-01"; empty for journal issues, as are
	// City and Country.
	Start, End    string
	City, Country string
	Deadlines     []Deadline
	// Pages are the URLs of the pages that call for it, in the order of the plan.
	Pages []string
}

// A Deadline is one dated line of a call. Kind is a word of the records of
// `eventseer extract`.
type Deadline struct {
	Kind         string
	Track        string
	Date         string // "2027-03-12"
	TZ           string // "AoE", "UTC" or an abbreviation as printed; "" where no page says it
	ExtendedFrom string
	Text         string // the date as a page prints it; empty in Event.Deadlines
}

// Page returns the truth of one URL; ok is false where the web has no such page.
func (t Truth) Page(url string) (p PageTruth, ok bool) {
	i, ok := t.byURL[url]
	if !ok {
		return PageTruth{}, false
	}
	return t.Pages[i], true
}

// truth collects what the rendered pages say.
func (p *plan) truth(pages []*page) Truth {
	t := Truth{byURL: make(map[string]int, len(pages))}
	calls := map[string][]string{}
	for _, pg := range pages {
		t.byURL[pg.url()] = len(t.Pages)
		t.Pages = append(t.Pages, pg.truth)
		if pg.truth.IsCFP {
			calls[pg.truth.Event] = append(calls[pg.truth.Event], pg.url())
		}
	}
	for _, e := range p.events {
		if urls := calls[e.id]; len(urls) > 0 {
			t.Events = append(t.Events, e.truth(urls))
		}
	}
	sort.Slice(t.Events, func(i, j int) bool { return t.Events[i].ID < t.Events[j].ID })
	return t
}

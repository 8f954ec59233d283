package part

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Finds is the memory by which a crawl values its finds: what it has found so far. It is safe for concurrent
// use.
type Finds struct {
	mu     sync.Mutex      // guards below
	Open   Outcomes        // calls, and those of them with a future deadline
	events map[string]bool // events with a call, by likelyEvent; only if Values.Again is below 1
}

// NewFinds returns the memory of a crawl that has found nothing.
func NewFinds() *Finds { return &Finds{events: map[string]bool{}} }

// Outcomes are counted, and their worths summed. Earlier ones fade, so the mean follows a changing
// crawl.
type Outcomes struct{ N, Sum float64 }

// Mean returns the mean worth, 0 without outcomes.
func (t *Outcomes) Mean() float64 { return t.Sum / max(t.N, 1e-9) }

// Add counts an outcome; fade is the factor on those before it.
func (t *Outcomes) Add(worth, fade float64) { t.N, t.Sum = fade*t.N+1, fade*t.Sum+worth }

const (
	openFade  = 0.99
	maxEvents = 1 << 20 // events remembered
)

// MailPage is the page type of calls by mail.
const MailPage = "mail_announcement"

// Value returns the value of a page as a find, 0 to 1. It is 0 if the page is not a call, otherwise
// the value of its kind. It is called once for each visited page, and adds the notes of what it remembers to v.
//
//   - A further call of an event has the factor Values.Again. An event is a site, and the year if the address
//     names one: before the record of a page is compared with others, a crawl knows no more. Mails of an
//     archive are different events.
//   - If calls with future deadlines are found, one whose deadlines have passed is worth less, up to
//     the factor Values.Past (paper 002, chapter 5), so paths to open calls come first. If none are
//     found it has no effect.
func (p *Parts) Value(a crawler.Arrival, v *crawler.Verdict, call bool) float64 {
	if !call || a.Tree == nil {
		return 0
	}
	values := p.Values.OrDefault()
	worth := values.ValueOf(kindOf(a.Tree, v.PageType))
	if worth == 0 || p.Finds == nil {
		return worth
	}
	open := 0.0
	if p.Deadlines != nil {
		if n, _ := p.Deadlines(a.Tree); n > 0 {
			open = 1
		}
	}
	f := p.Finds
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Open.Add(open, openFade)
	v.Notes = append(v.Notes, NoteOf(findsNote+"/", f.Open))
	if open == 0 {
		worth *= 1 - (1-values.Past)*f.Open.Mean()
	}
	if event := likelyEvent(a.Tree.Page.URL); values.Again < 1 && v.PageType != MailPage {
		if f.events[event] {
			return worth * values.Again
		}
		if len(f.events) < maxEvents {
			f.events[event] = true
			v.Notes = append(v.Notes, crawler.Note{Key: findsNote + "/" + event, Value: []byte{'1'}})
		}
	}
	return worth
}

// findsNote begins the keys of the notes of Finds: one with no name for Open, and one for each event.
const findsNote = "finds"

// restoreNote restores one note of Finds.
func (f *Finds) restoreNote(name string, value []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "" {
		return json.Unmarshal(value, &f.Open)
	}
	f.events[name] = true
	return nil
}

// IsSuccess reports whether a page of that value is a success for strategies that know only success
// and failure. It is one if it has at least half the value of the most valuable kind.
func (p *Parts) IsSuccess(value float64) bool {
	values := p.Values.OrDefault()
	return value > 0 && value >= max(values.Page, values.PDF, values.Mail)/2
}

// kindOf returns the kind of a call by which its value is known.
func kindOf(t *tagtree.Tree, pageType string) string {
	switch {
	case pageType == MailPage:
		return crawler.MailKind
	case strings.HasSuffix(t.Page.URL, ".pdf") || strings.HasPrefix(t.Page.Header.Get("Content-Type"), "application/pdf"):
		return crawler.PDFKind
	}
	return crawler.PageKind
}

var yearInURL = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// likelyEvent returns the event that a page is likely of: its site and the first year in its address.
func likelyEvent(url string) string {
	if m := yearInURL.FindStringSubmatch(url); m != nil {
		return Site(url) + " " + m[1]
	}
	return Site(url)
}

package wrapper

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Category data (paper 004, section 5). A list of calls has facts of each record, often before the record's
// own page is read and sometimes without such a page. The meaning of a column is decided by records whose
// pages are known: the column's texts, read under the usual words of a meaning, must give the known values.
// This annotates and verifies the list at once. It is repeated at each visit, so a list that changes its
// columns is not misread. Only new or changed records are used.

// listMeanings are the meanings that columns of lists may have.
var listMeanings = []string{
	Title, Acronym, DatesPlace, Dates, Place,
	deadlinePrefix + string(eventseer.Submission), deadlinePrefix + string(eventseer.Abstract),
	deadlinePrefix + string(eventseer.Notification), deadlinePrefix + string(eventseer.CameraReady),
}

// MaxRowFields is the maximum number of fields of a record in a list.
const MaxRowFields = 12

const (
	// maxEvidence is the maximum number of records of a list that decide the meanings of columns.
	maxEvidence = 10
	// listSureness is the confidence of an event that is only known from a list. Lists are short and updated
	// late.
	listSureness = 0.5
)

// A Listing is one list of a category page.
type Listing struct {
	Tree      *tagtree.Tree
	Extractor eventseer.Extractor
	Records   []ListedRecord
	Meanings  map[int]string // meanings by column, set by Learn
}

// A ListedRecord is a row of a list that links to a page of its own. Its first column is the text of the
// link.
type ListedRecord struct {
	URL    string
	Values []Value
	Known  eventseer.Event // event known from other pages; its ID is "" if there is none
}

// A columnClaim is a possible meaning of a column.
type columnClaim struct {
	column, pages int
	meaning       string
	strength      float64
}

// SetMeanings sets the meanings of columns with strong evidence, as Wrapper.Annotate does for fields.
func (l *Listing) SetMeanings() {
	var claims []columnClaim
	for _, meaning := range listMeanings {
		claims = append(claims, l.columnClaims(meaning)...)
	}
	slices.SortStableFunc(claims, func(a, b columnClaim) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(b.pages, a.pages), cmp.Compare(a.column, b.column))
	})
	l.Meanings = map[int]string{}
	taken := map[string]bool{}
	for _, c := range claims {
		clash := c.meaning == DatesPlace && (taken[Dates] || taken[Place]) || taken[DatesPlace] && (c.meaning == Dates || c.meaning == Place)
		if l.Meanings[c.column] == "" && !taken[c.meaning] && !clash {
			l.Meanings[c.column], taken[c.meaning] = c.meaning, true
		}
	}
}

// columnClaims returns the columns that may have a meaning by strong evidence.
func (l *Listing) columnClaims(meaning string) (claims []columnClaim) {
	known := 0
	support := map[int]Support{}
	for _, rec := range l.Records {
		e := withoutPage(rec.Known, l.Tree.Page.URL)
		if e.ID == "" || !hasMeaning(e, meaning) || known == maxEvidence {
			continue
		}
		known++
		for c, v := range rec.Values {
			if s := support[c]; strings.TrimSpace(v.Text) != "" {
				support[c] = Support{s.Pages + 1, s.Sum + l.meaningAgreement(meaning, v, e)}
			}
		}
	}
	for c := range MaxRowFields + 1 {
		s := support[c]
		if s.Pages >= strongPages && 2*s.Pages >= known && s.Sum >= strongEvidence*float64(s.Pages) {
			claims = append(claims, columnClaim{c, s.Pages, meaning, s.Sum / float64(s.Pages)})
		}
	}
	return claims
}

// hasMeaning reports whether e has a value of a meaning.
func hasMeaning(e eventseer.Event, meaning string) bool {
	switch meaning {
	case Title:
		return e.Title != ""
	case Acronym:
		return e.Acronym != ""
	case Dates:
		return e.EventStart != ""
	case Place:
		return e.Location != nil
	case DatesPlace:
		return e.EventStart != "" && e.Location != nil
	}
	return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return deadlinePrefix+string(d.Kind) == meaning })
}

// meaningAgreement returns how well a value, read under a meaning, agrees with the known one, from 0 to 1.
func (l *Listing) meaningAgreement(meaning string, v Value, known eventseer.Event) float64 {
	switch meaning {
	case Title:
		return wordBagOf(v.Text).f1Score(wordBagOf(known.Title))
	case Acronym:
		best := 0.0
		for _, text := range printedFormsOf(l.Tree, known)[Acronym] {
			best = max(best, wordBagOf(v.Text).f1Score(wordBagOf(text)))
		}
		return best
	}
	if meaning != Place && !strings.ContainsAny(v.Text, "0123456789") {
		return 0 // a text without digits is not a date
	}
	read, ok := l.readEvent(map[string][]Value{meaning: {v}}, known)
	days := ok && read.EventStart == known.EventStart && cmp.Or(read.EventEnd, known.EventEnd) == known.EventEnd
	place := ok && read.Location != nil && known.Location != nil && samePlace(read.Location, known.Location)
	same := false
	switch meaning {
	case Dates:
		same = days
	case Place:
		same = place
	case DatesPlace:
		same = days && place
	default:
		same = ok && slices.ContainsFunc(read.Deadlines, func(d eventseer.Deadline) bool {
			return deadlinePrefix+string(d.Kind) == meaning && slices.ContainsFunc(known.Deadlines, func(k eventseer.Deadline) bool { return k.Kind == d.Kind && k.Date == d.Date })
		})
	}
	if same {
		return 1
	}
	return 0
}

func samePlace(a, b *eventseer.Venue) bool {
	return strings.EqualFold(a.City, b.City) && a.CountryCode == b.CountryCode && a.Online == b.Online && (a.City != "" || a.CountryCode != "" || a.Online)
}

// readEvent extracts an event from values by meaning. Title and year of the known event are used as context. ok is
// false if they do not form a call.
func (l *Listing) readEvent(values map[string][]Value, known eventseer.Event) (eventseer.Event, bool) {
	page, err := draft{values: values, known: eventseer.Event{URL: known.URL, Title: known.Title, Year: known.Year}}.toPage()
	if err != nil {
		return eventseer.Event{}, false
	}
	return l.Extractor.Extract(page)
}

// Event returns the event described by a row of the list. It returns false if the row has too little data.
func (l *Listing) Event(rec ListedRecord) (eventseer.Event, bool) {
	d := draft{values: map[string][]Value{}, known: eventseer.Event{URL: rec.URL, Title: rec.Known.Title, Year: rec.Known.Year}}
	for c, v := range rec.Values {
		if meaning := l.Meanings[c]; meaning != "" && strings.TrimSpace(v.Text) != "" {
			d.values[meaning] = append(d.values[meaning], v)
		}
	}
	read, ok := l.readEvent(d.values, d.known)
	if !ok && read.Title == "" {
		return eventseer.Event{}, false
	}
	out := Record{Event: eventseer.Event{
		URL: rec.URL, Title: d.known.Title, Year: cmp.Or(d.known.Year, read.Year), Kind: read.Kind,
		Confidence: listSureness, Sources: map[string]eventseer.Provenance{"kind": {URL: l.Tree.Page.URL}},
	}}
	i := importer{draft: d, tree: l.Tree, read: read, out: &out}
	i.importNames()
	i.importDaysAndPlace()
	i.importDeadlines()
	e := out.Event
	for field, src := range e.Sources {
		src.Rule = eventseer.ListRule
		e.Sources[field] = src
	}
	for i := range e.Deadlines {
		e.Deadlines[i].Source.Rule = eventseer.ListRule
	}
	said := e.EventStart != "" || len(e.Deadlines) > 0
	if rec.Known.ID == "" {
		return e, said && len(d.values[Title]) > 0 && e.Title != ""
	}
	e.Kind = ""
	return e, e.Title != "" && (said || e.Location != nil || e.Acronym != "")
}

// SetExtendedFrom sets ExtendedFrom of deadlines that were earlier when the columns of the record were those in
// before. The text of the link is not compared.
func (l *Listing) SetExtendedFrom(deadlines []eventseer.Deadline, rec ListedRecord, before []string) {
	old := ListedRecord{URL: rec.URL, Known: rec.Known, Values: slices.Clone(rec.Values[:min(1, len(rec.Values))])}
	for _, text := range before {
		old.Values = append(old.Values, Value{Text: text})
	}
	e, _ := l.Event(old)
	for i := range deadlines {
		d := &deadlines[i]
		for _, o := range e.Deadlines {
			if o.Key() == d.Key() && o.Date < d.Date {
				d.ExtendedFrom = max(d.ExtendedFrom, o.Date)
			}
		}
	}
}

// withoutPage returns an event without the values read from the page at url, because a list must not confirm
// itself.
func withoutPage(e eventseer.Event, url string) eventseer.Event {
	from := func(field string) bool { return e.Sources[field].URL == url }
	if from("title") {
		e.Title = ""
	}
	if from("acronym") {
		e.Acronym = ""
	}
	if from("event_start") {
		e.EventStart, e.EventEnd = "", ""
	}
	if from("location") {
		e.Location = nil
	}
	e.Deadlines = slices.DeleteFunc(slices.Clone(e.Deadlines), func(d eventseer.Deadline) bool { return d.Source.URL == url })
	return e
}

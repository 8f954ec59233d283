package views

import (
	"strings"
	"time"

	"eventseer/eventseer"
)

const newFor = 7 * 24 * time.Hour // an event counts as new for so long

const maxChips = 3 // topics shown with a call

const maxChip = 36 // runes of each

const MaxRanks = 3 // shown with a call

// A CallRow is one event in a list.
type CallRow struct {
	Name
	ID      eventseer.EventID
	Href    string
	Heading []Piece // the title with marks
	Acronym []Piece
	Meta    []string // kind, days, place
	Next    *When    // nil without a deadline to come
	Last    *When    // of a closed call
	Badges  []Badge
	Ranks   []RankChip
	Topics  [][]Piece
	Passage []Piece // of a clip, with what was looked for
	// Expected is what may be expected of the next edition of a closed call, nil of
	// nothing; Series is the page that says more.
	Expected *estimateRow
	Series   string
}

// FormatNames say what a format is for.
var FormatNames = map[string]string{
	"ics": "Subscribe in a calendar", "atom": "Atom feed", "rss": "RSS feed", "csv": "Table (CSV)",
}

func MediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	return kind
}

func NewCallRow(e eventseer.Event, now time.Time, zone *time.Location) CallRow {
	row := CallRow{
		Name: NameOf(e), ID: e.ID, Href: EventHref(e.ID),
		Meta: NonEmpty(KindNames[e.Kind], Days(e.EventStart, e.EventEnd), Place(e.Location)),
	}
	row.Heading, row.Acronym = Plain(row.Title), Plain(row.Short)
	for _, t := range Head(e.Topics, maxChips) {
		row.Topics = append(row.Topics, Plain(Clip(t, maxChip)))
	}
	d, open := eventseer.NextDeadline(e, now)
	if !open {
		row.Last = lastWhen(e, now)
		return row
	}
	next := NewWhenIn(d, now, zone)
	row.Next = &next
	return row
}

// lastWhen is the last deadline to hand something in of a closed call, or nil.
func lastWhen(e eventseer.Event, now time.Time) *When {
	var last eventseer.Deadline
	for _, d := range e.Deadlines {
		if d.Kind.Submits() && d.Moment().After(last.Moment()) {
			last = d
		}
	}
	if last.Moment().IsZero() {
		return nil
	}
	w := newWhen(last, now)
	return &w
}
